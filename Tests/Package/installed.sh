#!/bin/sh
# Installs a package of agonyfs in a fresh Debian in a folder, uses it as a user and as root, and purges it.
#
#     installed.sh PACKAGE.deb
#
# For root, on Debian; it fetches about 400 MB from where apt of this machine fetches.
set -eu
package=$(readlink -f "$1")
root=$(mktemp -d "${TMPDIR:-/tmp}/agonyfs-test-debian-XXXXXX")
chmod 755 "$root"
clean() {
  pkill -KILL -f "$root/" || true
  for mount in $(awk -v p="$root/" 'index($2, p) == 1 {print $2}' /proc/mounts | sort -r); do umount -l "$mount"; done
  rm -rf --one-file-system "$root"
}
trap clean EXIT
trap 'exit 1' INT TERM HUP

mirror=$(apt-cache policy dpkg | awk '$2 ~ /^http/ {print $2; exit}')
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
debootstrap --variant=minbase "$release" "$root" "$mirror" >"$root.log" 2>&1 || {
  tail "$root.log"
  exit 1
}
rm "$root.log"
# Every running Debian has it.
ln -s ../proc/self/mounts "$root/etc/mtab"
mount -t proc none "$root/proc"
mount --rbind --make-rslave /dev "$root/dev"
mount -t sysfs none "$root/sys"
# Manual pages belong to what is looked at.
rm -f "$root"/etc/dpkg/dpkg.cfg.d/*
cp "$package" "$root/agonyfs.deb"
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin LC_ALL=C.UTF-8 "$@"; }
# Names, rights and owners of everything but what packages that stay behind bring.
state() { inside find / -xdev \( -name '*agonyfs*' -o -path '/etc/*' \) -not -path '/agonyfs.deb' -printf '%p %m %u %g\n' | sort; }

rm -f "$root/etc/apt/sources.list"
for sources in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
  [ ! -s "$sources" ] || cp "$sources" "$root$sources"
done
inside apt-get update >/dev/null
inside env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends man-db >/dev/null 2>&1
state >"$root.before"
inside apt-get install -y --no-install-recommends /agonyfs.deb >"$root.log" 2>&1 || {
  tail "$root.log"
  exit 1
}
rm "$root.log"
inside useradd -m -u 1000 somebody
cat >"$root/home/somebody/use" <<'END'
set -eux
cd
echo 'correct horse battery staple' > password
agonyfs create --kdf interactive --cover 0 --segment-size 1M --password-file password Vault
mkdir Albums
agonyfs mount --password-file password Vault Albums
mkdir Albums/Summer
base64 -d > photo.png <<'PNG'
iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
PNG
cp photo.png Albums/Summer/
agonyfs thumbnails Albums | grep '1 made, 0 failed'
agonyfs list Albums | grep Summer/photo.png
agonyfs unmount Albums
man agonyfs-mount | grep -q 'MOUNT OPTIONS'
man agonyfs | grep -q 'agonyfs-import(1)'
man mount.agonyfs | grep -q allow_other
man agonyfs-sync | grep -q delete-newer
agonyfs help sync | grep -q agonyfs-sync@NAME
test -e /usr/lib/systemd/user/agonyfs-sync@.service
agonyfs check --password-file password Vault
# Whoever could read the programs could look into their processes until they forbid it.
for program in /usr/lib/agonyfs/*; do
  if cat "$program" >/dev/null 2>&1; then exit 1; fi
done
END
inside setpriv --reuid 1000 --regid 1000 --clear-groups env HOME=/home/somebody sh /home/somebody/use
for type in agonyfs fuse.agonyfs; do
  inside mount -t $type /home/somebody/Vault /mnt -o passfile=/home/somebody/password,ro
  inside cmp /mnt/Summer/photo.png /home/somebody/photo.png
  inside agonyfs unmount /mnt
done
inside bash -c '. /usr/share/bash-completion/completions/agonyfs && complete -p agonyfs'
# What people made stays, also in the package's folder.
inside sh -c 'mkdir -p /etc/agonyfs && echo VAULT=/home/somebody/Vault >/etc/agonyfs/own.conf'
files() { inside find /home/somebody/Vault /etc/agonyfs/own.conf -type f | sort; }
own=$(files)
inside apt-get purge -y agonyfs >/dev/null 2>&1
[ "$(files)" = "$own" ] || {
  echo "purging took away what the user made"
  exit 1
}
inside rm -r /etc/agonyfs
inside userdel -r somebody 2>/dev/null
state >"$root.after"
# What the packages that it needed leave in /etc is theirs.
left=$(comm -13 "$root.before" "$root.after" | grep agonyfs || true)
rm "$root.before" "$root.after"
[ -z "$left" ] || {
  echo "the purged package left: $left"
  exit 1
}
echo "the package works in a fresh Debian"
