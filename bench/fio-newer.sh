#!/bin/sh
# A newer fio than the distribution's: the source that Debian's next release has, fetched by apt from a list of its own
# and compiled here. Prints the directory, which also holds fio's bare loop t/io_uring. Fails when it cannot be had.
set -eu
place=$1
if [ -x "$place/built/fio" ]; then
    echo "$place/built"
    exit
fi
mkdir -p "$place/lists/partial" "$place/cache"
key=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb-src [signed-by=$key] http://deb.debian.org/debian sid main" >"$place/sources.list"
apt() {
    apt-get -q -o Dir::Etc::sourcelist="$place/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$place/lists" -o Dir::Cache="$place/cache" -o APT::Sandbox::User=root "$@"
}
cd "$place"
{
    apt update
    # A mirror between two versions may lack the signature or Debian's own part; upstream's archive is what is needed.
    apt source --download-only fio || true
    set -- fio_*.orig.tar.*z*
    [ -e /usr/include/libaio.h ] || apt-get install -q -y --no-install-recommends libaio-dev
    rm -rf source && mkdir source && tar xf "$1" -C source --strip-components=1
    cd source
    ./configure --disable-native
    nice make -j2 fio t/io_uring
    mv "$place/source" "$place/built"
} >"$place/log.txt" 2>&1
echo "$place/built"
