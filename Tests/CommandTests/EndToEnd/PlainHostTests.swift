import Testing

#if arch(x86_64)
  private let isX86 = true
#else
  private let isX86 = false
#endif

/// Hosts whose file systems know no files without a name, and no rename that replaces nothing or exchanges names
/// (ntfs-3g, exfat-fuse, sshfs), and perhaps no second names: strace refuses those calls, every other linkat(2) where
/// there are second names.
@Suite(
  .enabled(if: isX86, "needs a processor on which glibc has another call for plain renames"),
  .enabled(if: Workspace.isRoot, "needs root, to trace a program that takes a password"))
struct PlainHostTests {
  @Test(arguments: [":when=1+2", ""]) func spacesAndPasswordsAreMade(_ times: String) throws {
    try expectSuccess(
      Workspace(),
      """
      plain() {
        strace -f -qq -o calls -e trace=renameat2,linkat -e inject=renameat2:error=EINVAL \
          -e inject=linkat:error=EPERM\(times) "$AGONYFS" "$@"
      }
      mkdir Albums
      for name in one two three; do echo "the password of $name" > $name; done
      plain create --kdf interactive --segment-size 1M --cover 0 --password-file one Vault
      plain space add --cover 0 --password-file two Vault
      plain password change --password-file one --new-password-file three Vault
      grep -q 'renameat2.*INJECTED' calls
      for name in two three; do
        agonyfs mount --password-file $name Vault Albums
        echo words > Albums/$name
        agonyfs unmount Albums
        agonyfs check --read-data --password-file $name Vault
      done
      gives 12 agonyfs check --password-file one Vault
      files Vault > count
      """)
  }

  /// Links and plain renames are enough. A refresh that is killed between the first two renames of the trees leaves no
  /// `segments`, and everything is found.
  @Test func aVaultIsRefreshed() throws {
    try expectSuccess(
      Workspace(),
      """
      mkdir Albums
      echo 'the password of a space' > password
      agonyfs create --kdf interactive --segment-size 1M --cover 0 --password-file password Vault
      agonyfs mount --password-file password Vault Albums
      head -c 3000000 /dev/urandom > photo
      cp photo Albums/photo
      agonyfs unmount Albums
      find Vault/segments -type f -printf '%P\\n' | sort > before
      plain() {
        strace -f -qq -o calls -e trace=renameat,renameat2 -e inject=renameat2:error=EINVAL "$AGONYFS" refresh Vault
        grep -q 'renameat2.*INJECTED' calls
        test "$(ls -A Vault | paste -sd ' ')" = 'agonyfs.json segments'
        test "$(ls -A Vault/segments | wc -l)" = 256
      }
      plain
      plain
      find Vault/segments -type f -printf '%P\\n' | sort > after
      cmp before after
      first=$(grep -w renameat calls | grep -n '"segments", ' | cut -d : -f 1)
      not strace -f -qq -o calls -e trace=renameat,renameat2 -e inject=renameat2:error=EINVAL \
        -e inject=renameat:signal=SIGKILL:when=$((first + 1)) "$AGONYFS" refresh Vault
      test "$(ls -A Vault | paste -sd ' ')" = 'agonyfs.json refreshing'
      agonyfs info --password-file password Vault > told
      agonyfs check --read-data --password-file password Vault
      agonyfs mount --password-file password Vault Albums
      cmp photo Albums/photo
      agonyfs unmount Albums
      test "$(ls -A Vault | paste -sd ' ')" = 'agonyfs.json segments'
      plain
      agonyfs check --read-data --password-file password Vault
      agonyfs mount --password-file password Vault Albums
      cmp photo Albums/photo
      agonyfs unmount Albums
      """)
  }
}
