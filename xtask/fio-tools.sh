#!/bin/sh
# What the tests of `fsbench fio` compare with and run on: the real fio, fio-plot in a Python environment of its own
# (installed once, into the cache that the test servers use too), file systems to mount. Needs root where a Debian
# package is missing; prints the `export` lines that the tests read.
set -eu
fio_plot=1.1.21
cache="${XDG_CACHE_HOME:-$HOME/.cache}/fsbench"
venv="$cache/fio-plot-$fio_plot"
mkdir -p "$cache"

# need PROGRAM PACKAGE: the package, if the program is not there. Its version must not change what is installed already.
need() {
    PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null && return
    echo "installing $2 through apt-get" >&2
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$2"; } \
        >"$cache/apt-$2.log" 2>&1 || { tail -5 "$cache/apt-$2.log" >&2; exit 1; }
}
need fio fio
need mkfs.ext4 e2fsprogs
need fuse2fs fuse2fs
need fusermount fuse
need gnuplot gnuplot-nox

# It appears whole or not at all.
if [ ! -x "$venv/bin/fio-plot" ]; then
    echo "installing fio-plot $fio_plot into $venv" >&2
    rm -rf "$venv"
    {
        python3 -m venv "$venv.partial" --clear
        # six is what fio_jsonplus_clat2csv needs, pandas and numpy what fiologparser_hist.py does.
        "$venv.partial/bin/pip" install --quiet "fio-plot==$fio_plot" setuptools six pandas numpy
        # The scripts name their interpreter by its full path: build, move, and let pip write them again.
        mv "$venv.partial" "$venv"
        "$venv/bin/python" -m pip install --quiet --force-reinstall --no-deps "fio-plot==$fio_plot"
    } >"$venv.log" 2>&1 || { tail -5 "$venv.log" >&2; rm -rf "$venv"; exit 1; }
fi
echo "export FSBENCH_TEST_FIO_TOOLS=$venv/bin"
