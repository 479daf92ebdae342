#!/usr/bin/env bash
# example.sh: enrolls a sample account, asks about its policy, and protects a text. $MAMBRIDGE is the server to start.
set -euo pipefail
# shellcheck source=mambridge.sh
. "$(dirname "$0")/mambridge.sh"

alice=alice@contoso.example
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT

mam_start --tenant sample --state "$state"
echo "enrollment: $(mam_call enrollmentManager.registerAndEnrollAccount account=$alice | jq -r .status)"
for location in localDrive oneDriveForBusiness dropbox; do
  allowed=$(mam_call policy.isSaveToAllowedForLocation location=$location account=$alice locationAccount=$alice)
  echo "save to $location: $allowed"
done
secret=$(mam_call dataProtectionManager.protectString "string=quarterly figures" account=$alice | jq -r .)
echo "unprotected: $(mam_call dataProtectionManager.unprotectString "string=$secret" | jq -r .)"
mam_call policy.isSaveToAllowedForLocation location=mars || echo "refused, as expected"
mam_stop
