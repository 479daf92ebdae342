# shellcheck shell=bash
# A client for mambridge in bash, with jq. Source this file, then:
#
#   mam_start [ARGUMENT…]                    starts a server ($MAMBRIDGE, or mambridge by default) as a coprocess
#   mam_connect HOST:PORT TOKENFILE          connects to a listening server instead
#   mam_call METHOD [JSON | NAME=TEXT… | NAME:=JSON…]
#                                            prints the result as JSON; an error goes to stderr as JSON, with status 1
#   mam_notify METHOD […]                    sends a notification, which has no answer
#   mam_stop                                 ends the connection; returns the status of a server that mam_start started
#
# A notification that arrives during a call is passed to the function `mam_on_event`, if it exists, as one line of JSON.
# Status 2 means that the server is gone. Values go to jq through a pipe, never as arguments, which every user of the
# machine can read.

mam_start() {
  # shellcheck disable=SC2034 # The coprocess sets MAM_COPROC and MAM_COPROC_PID.
  coproc MAM_COPROC { exec "${MAMBRIDGE:-mambridge}" "$@"; }
  MAM_CHILD=$MAM_COPROC_PID
  # Subshells such as $(mam_call …) do not inherit the descriptors of a coprocess, but they inherit copies.
  exec {MAM_IN}<&"${MAM_COPROC[0]}" {MAM_OUT}>&"${MAM_COPROC[1]}"
  eval "exec ${MAM_COPROC[0]}<&- ${MAM_COPROC[1]}>&-"
}

mam_connect() {
  local address=${1#tcp://} token=
  read -r token <"$2" || [ -n "$token" ] || return 2
  exec {MAM_IN}<>"/dev/tcp/${address%:*}/${address##*:}" || return 2
  MAM_OUT=$MAM_IN MAM_CHILD=
  mam_call authenticate "token=$token" >/dev/null
}

mam_call() {
  local id="$BASHPID.$((MAM_CALLS = ${MAM_CALLS:-0} + 1))" line reply
  _mam_send "$id" "$@" || return
  while IFS= read -r line <&"$MAM_IN"; do
    reply=$(_mam_reply "$id" <<<"$line") || return 2
    case $reply in
      result*) printf '%s\n' "${reply#result}" && return ;;
      error*) printf '%s\n' "${reply#error}" >&2 && return 1 ;;
      event) ! declare -F mam_on_event >/dev/null || mam_on_event "$line" ;;
    esac
  done
  _mam_lost
}

mam_notify() { _mam_send "" "$@"; }

mam_stop() {
  exec {MAM_OUT}>&-
  if [ -z "$MAM_CHILD" ]; then return; fi
  exec {MAM_IN}<&-
  set -- "$MAM_CHILD"
  MAM_CHILD=
  wait "$1"
}

_mam_send() {
  local request
  request=$(printf '%s\0' "$@" | jq -Rsc '
    def param: (index("=") // error("neither JSON nor NAME=TEXT: \(.)")) as $at
      | if .[$at - 1:$at] == ":" then {(.[:$at - 1]): (.[$at + 1:] | fromjson)} else {(.[:$at]): .[$at + 1:]} end;
    def params: if length == 1 and (.[0] | test("^\\s*[\\[{]")) then .[0] | fromjson else map(param) | add end;
    rtrimstr("\u0000") | split("\u0000") | {jsonrpc: "2.0", id: .[0], method: .[1], params: (.[2:] | params)}
    | if .id == "" then del(.id) else . end
    | if .params == null then del(.params) else . end') || return 2
  # A pipe without a reader must not end the shell that sources this file.
  (trap '' PIPE && printf '%s\n' "$request" >&"$MAM_OUT") 2>/dev/null || _mam_lost
}

_mam_reply() {
  jq -rj --arg id "$1" 'if has("method") then "event" elif .id != $id and .id != null then "other"
    elif has("error") then "error", (.error | tojson) else "result", (.result | tojson) end'
}

_mam_lost() {
  printf '{"code":null,"message":"the server is gone"}\n' >&2
  return 2
}
