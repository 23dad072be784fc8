import Testing

/// Few descriptors, long names, deep trees, huge files.
@Suite struct CommandLimitTests {
  @Test func fewDescriptorsAreEnough() throws {
    try expectSuccess(
      """
      head -c 100000000 /dev/urandom > large
      (ulimit -n 64; agonyfs mount --password-file password Vault Albums)
      cp large Albums/
      for n in $(seq 100); do echo $n > Albums/$n; done
      sync -f Albums
      agonyfs unmount Albums
      (ulimit -n 64; agonyfs mount --password-file password Vault Albums)
      cmp large Albums/large
      test "$(cat Albums/100)" = 100
      # In other places at once.
      for n in 1 2 3 4 5 6; do tail -c ${n}0000000 Albums/large | cmp - large -i 0:$((100000000 - n * 10000000)) & done
      wait
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      """)
  }

  @Test func longNamesDeepTreesAndHugeFiles() throws {
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      name=$(head -c 255 /dev/zero | tr '\\0' '\\377')
      echo bytes > "Albums/$name"
      test "$(cat "Albums/$name")" = bytes
      not touch "Albums/${name}x" 2> error
      grep -q 'File name too long' error
      truncate -s 100G Albums/sparse
      printf end | dd of=Albums/sparse bs=1 seek=107374182397 conv=notrunc
      test "$(tail -c 3 Albums/sparse)" = end
      test "$(stat -c %s Albums/sparse)" = 107374182400
      test "$(du -k Albums/sparse | cut -f 1)" -lt 100
      (
        cd Albums
        depth=0
        while [ $depth -lt 2000 ]; do mkdir d; cd -P d; depth=$((depth + 1)); done
        echo deep > file
      )
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      agonyfs mount --password-file password Vault Albums
      test "$(find Albums -type d | wc -l)" = 2001
      rm -r Albums/d
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      """)
  }

  @Test func aPathIsAsLongAsThatOfAnyFileSystem() throws {
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      cd Albums
      name=$(head -c 255 /dev/zero | tr '\\0' n)
      path=$name
      for n in 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do path=$path/$name; done
      mkdir -p $path
      # Together with the zero at its end 4,096 bytes are what the kernel takes.
      test $(printf %s $path/$name | wc -c) = 4095
      set +x
      echo bytes > $path/$name
      test "$(cat $path/$name)" = bytes
      test "$(stat -c %s $path/$name)" = 6
      mv $path/$name $path/other
      mv $path/other $path/$name
      for long in /$name /./$name; do
        not cat $path/$long 2> ../error
        grep -q 'File name too long' ../error
        not touch $path/$long 2> ../error
        grep -q 'File name too long' ../error
        not mv $path/$long moved 2> ../error
        grep -q 'File name too long' ../error
      done
      set -x
      cd ..
      # A target of a link is a path as well; none of 4,096 bytes is taken.
      ln -s $(head -c 4095 /dev/zero | tr '\\0' t) Albums/link
      test "$(readlink Albums/link | wc -c)" = 4096
      not ln -s $(head -c 4096 /dev/zero | tr '\\0' t) Albums/link2
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      """)
  }

  @Test func manyFilesAreOpenWhileTheProgramMayHaveFew() throws {
    try expectSuccess(
      """
      (ulimit -n 64; agonyfs mount --password-file password Vault Albums)
      bash -eu -c '
        ulimit -n 6000
        for n in $(seq 5000); do
          exec {file}<> Albums/$n
          files[n]=$file
          echo first $n >&$file
        done
        test "$(ls /proc/$$/fd | wc -l)" -gt 5000
        for n in $(seq 1 7 5000); do echo second $n >&${files[n]}; done
        # Files that have no name any more are as good as others.
        for n in $(seq 1 70 5000); do rm Albums/$n; echo third $n >&${files[n]}; done
        for n in $(seq 1 70 5000); do
          test "$(tail -n 1 /proc/$$/fd/${files[n]})" = "third $n"
        done'
      test "$(ls Albums | wc -l)" = $((5000 - 72))
      agonyfs unmount Albums
      (ulimit -n 64; agonyfs mount --password-file password Vault Albums)
      set +x
      for n in $(seq 5000); do
        if [ $(((n - 1) % 70)) = 0 ]; then not test -e Albums/$n; continue; fi
        read -r first < Albums/$n
        test "$first" = "first $n"
        if [ $(((n - 1) % 7)) = 0 ]; then test "$(tail -n 1 Albums/$n)" = "second $n"; fi
      done
      set -x
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      """)
  }
}
