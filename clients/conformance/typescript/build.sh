#!/bin/sh
# build.sh FOLDER: compiles the drivers, and puts the client where they find it.
set -eu
here=$(dirname "$0")
tsc --project "$here" --outDir "$1"
mkdir -p "$1/node_modules"
ln -sfn "$(realpath "$here/../../typescript")" "$1/node_modules/mambridge"
