// Loaded into the program under test by LD_PRELOAD: a key that an earlier process derived from the same password and salt with
// the same work is not derived again. The keys are what they are without it.

// The variable that names the folder which keeps the keys; without it nothing changes.
#define DERIVATION_CACHE "AGONYFS_TEST_DERIVATIONS"
// With this variable, too, the salts of all vaults that are made are the same, so that a whole run derives few keys: making a
// vault takes about half the time. Not for tests that compare vaults: what a password opens is then in files of one name.
#define ONE_SALT "AGONYFS_TEST_ONE_SALT"
// The variable that names a file which gets a byte for each key that a program needs, derived or known.
#define DERIVATION_COUNT "AGONYFS_TEST_DERIVATION_COUNT"
