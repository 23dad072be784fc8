// Loaded into the program under test by LD_PRELOAD: a key that an earlier process derived from the same password and salt with
// the same work is not derived again. The keys are what they are without it. The salts of all vaults that are made with it are
// the same, so that a whole run derives few. Without it, deriving was half of what the programs under test took.

// The variable that names the folder which keeps the keys; without it nothing changes.
#define DERIVATION_CACHE "AGONYFS_TEST_DERIVATIONS"
