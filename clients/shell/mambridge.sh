# shellcheck shell=bash
# A client for mambridge in bash, with jq. Source this file, then:
#
#   mam_start [ARGUMENT…]                    starts a server ($MAMBRIDGE, or mambridge by default) as a coprocess
#   mam_connect HOST:PORT TOKENFILE          connects to a listening server instead
#   mam_call METHOD [JSON | NAME=TEXT… | NAME:=JSON…]
#                                            prints the result as JSON; an error goes to stderr as JSON, with status 1
#   mam_notify METHOD […]                    sends a notification, which has no answer
#   mam_wait_event SECONDS [TYPE…]           prints the next event as one line of JSON; with types, the next event of
#                                            one of them, skipping others. Status 1 if no such event comes in time;
#                                            0 seconds look only at what has come
#   mam_stop                                 ends the connection; returns the status of a server that mam_start started
#
# Define these functions to be a host. They run while mam_call or mam_wait_event waits:
#
#   mam_on_event LINE             handles an event: one line of JSON
#   mam_on_request METHOD PARAMS  answers a request of the server: prints the result as JSON, or nothing for null. To
#                                 refuse, it prints an error, such as {"code":7002,"message":"canceled"}, and returns 1.
#                                 It can read stdin, and show texts on stderr
#
# Declare the requests that mam_on_request answers as "delegates" of `initialize`. Events are kept until mam_wait_event
# reads them, even if a call in a subshell received them. While mam_call waits, neither function can use mam_call or
# mam_wait_event.
#
# The server runs in a process group of its own, so that Ctrl-C ends the script and not the server under its last call. Set
# MAMBRIDGE_PROCESS_GROUP to nothing to leave it in the group of the script.
#
# Status 2 means that the server is gone, or that a call is wrong and was not sent; stderr says which. Status 3 means that
# the answer did not come within MAM_TIMEOUT seconds, if that is set. Values go to jq through a pipe, never as arguments,
# which every user of the machine can read.

# What reads [JSON | NAME=TEXT… | NAME:=JSON…], an array of texts, in jq.
# shellcheck disable=SC2016 # The variables are jq's.
_MAM_PARAMS='
  def refuse: {code: null, message: .} | halt_error(2);
  def json($what): ascii_downcase as $small | try fromjson catch (if $small | IN("true", "false", "null")
    then "\($what) not JSON; write \($small)" else "\($what) not JSON" end | refuse);
  def param: (index("=") // ("neither JSON nor NAME=TEXT: \(.)" | refuse)) as $at
    | if .[$at - 1:$at] == ":"
      then .[:$at - 1] as $name | {($name): (.[$at + 1:] | json("\($name) is"))}
      else {(.[:$at]): .[$at + 1:]} end;
  def params: if length == 1 and (.[0] | test("^\\s*[\\[{]")) then .[0] | json("the parameters are") else map(param) | add end;
'

mam_start() {
  # shellcheck disable=SC2034 # The coprocess sets MAM_COPROC and MAM_COPROC_PID.
  coproc MAM_COPROC {
    # Bash closes the descriptors of a coprocess that has ended, so they are copied first.
    read -r
    MAMBRIDGE_PROCESS_GROUP=${MAMBRIDGE_PROCESS_GROUP-own} exec "${MAMBRIDGE:-mambridge}" "$@"
  }
  MAM_CHILD=$MAM_COPROC_PID
  # Subshells such as $(mam_call …) do not inherit the descriptors of a coprocess, but they inherit copies.
  exec {MAM_IN}<&"${MAM_COPROC[0]}" {MAM_OUT}>&"${MAM_COPROC[1]}"
  eval "exec ${MAM_COPROC[0]}<&- ${MAM_COPROC[1]}>&-"
  _mam_keep_events || return
  _mam_write ""
}

mam_connect() {
  local address=${1#tcp://} token=
  read -r token <"$2" || [ -n "$token" ] || return 2
  exec {MAM_IN}<>"/dev/tcp/${address%:*}/${address##*:}" || return 2
  MAM_OUT=$MAM_IN MAM_CHILD=
  _mam_keep_events
  mam_call authenticate "token=$token" >/dev/null
}

# In a trap, a plain `return` has the status from before the trap.
mam_call() {
  _mam_is_free mam_call || return 2
  if [ -z "${MAM_OUT-}" ]; then _mam_refuse "${MAM_NOTHING-there is no server: begin with mam_start}" && return 2; fi
  local id="$BASHPID.$((MAM_CALLS = ${MAM_CALLS:-0} + 1))" line reply status=0 MAM_IS_CALLING=yes
  local end=${MAM_TIMEOUT:+$((${EPOCHREALTIME/[.,]/} + MAM_TIMEOUT * 1000000))}
  _mam_send "$id" "$@" || return 2
  while :; do
    _mam_read ${end:+"$end"} || status=$?
    if [ "$status" = 1 ]; then _mam_refuse "$1: no answer within $MAM_TIMEOUT s" && return 3; fi
    [ "$status" = 0 ] || return 2
    reply=$(_mam_kind "$id" <<<"$line") || return 2
    case $reply in
      result*) printf '%s\n' "${reply#result}" && return 0 ;;
      error*)
        printf '%s\n' "${reply#error}" >&2
        ! declare -F _mam_hint >/dev/null || _mam_hint "$reply"
        return 1
        ;;
      *) _mam_take "$reply" "$line" || return ;;
    esac
  done
}

mam_notify() { _mam_send "" "$@"; }

mam_wait_event() {
  local seconds=${1-} end line kind status=0
  _mam_is_free mam_wait_event || return
  if ! [[ $seconds =~ ^[0-9]{1,9}(\.[0-9]{1,6})?$ ]]; then
    _mam_refuse "mam_wait_event needs a number of seconds, such as 10 or 0.5"
    return 2
  fi
  shift
  LC_ALL=C printf -v end '%.0f' "${seconds}e6"
  [ "$end" = 0 ] || end=$((end + ${EPOCHREALTIME/[.,]/}))
  while :; do
    # Calls in this shell and in subshells append to the kept events; all of them share the place of reading.
    while IFS= read -r line <&"$MAM_KEPT"; do
      _mam_is_of_type "$line" "$@" && printf '%s\n' "$line" && return 0
    done
    _mam_read "$end" || status=$?
    if [ "$status" = 1 ]; then _mam_refuse "no event${*:+ $*} within $seconds s"; fi
    [ "$status" = 0 ] || return "$status"
    kind=$(_mam_kind "" <<<"$line") || return 2
    _mam_take "$kind" "$line" || return
  done
}

mam_stop() {
  exec {MAM_OUT}>&- {MAM_KEEP}>&- {MAM_KEPT}<&-
  if [ -z "$MAM_CHILD" ]; then return; fi
  exec {MAM_IN}<&-
  set -- "$MAM_CHILD"
  MAM_CHILD=
  wait "$1"
}

# A file without a name.
_mam_keep_events() {
  local file
  file=$(mktemp) || return 2
  # shellcheck disable=SC2094 # The events are read back from the file that they are kept in.
  exec {MAM_KEPT}<"$file" {MAM_KEEP}>>"$file"
  rm -f "$file"
}

_mam_send() {
  local request answers=false
  ! declare -F mam_on_request >/dev/null || answers=true
  request=$(printf '%s\0' "$@" | jq -Rsc --argjson answers "$answers" "$_MAM_PARAMS"'
    def delegates: (if type == "array" then .[1] else .delegates? end) // [];
    rtrimstr("\u0000") | split("\u0000") | {jsonrpc: "2.0", id: .[0], method: .[1], params: (.[2:] | params)}
    | if .id == "" then del(.id) else . end
    | if .params == null then del(.params) else . end
    | if .method == "initialize" and (.params | delegates | length > 0) and ($answers | not)
      then "initialize declares delegates, but no function answers them: define mam_on_request" | refuse
      else . end') || return 2
  _mam_write "$request"
}

_mam_write() {
  # A pipe without a reader must not end the shell that sources this file.
  (trap '' PIPE && printf '%s\n' "$1" >&"$MAM_OUT") 2>/dev/null || _mam_lost
}

# Reads a message into the caller's `line`. With a time in microseconds, returns 1 if nothing comes before it; with 0, if
# nothing has come yet.
_mam_read() {
  local left rest status=0
  if [ "${1-0}" = 0 ]; then
    [ $# = 0 ] || read -r -t 0 <&"$MAM_IN" || return 1
    IFS= read -r line <&"$MAM_IN" && return 0
    _mam_lost
    return 2
  fi
  left=$(($1 - ${EPOCHREALTIME/[.,]/}))
  [ "$left" -gt 0 ] || return 1
  printf -v left '%d.%06d' $((left / 1000000)) $((left % 1000000))
  IFS= read -r -t "$left" line <&"$MAM_IN" || status=$?
  [ "$status" != 0 ] || return 0
  if [ "$status" -gt 128 ]; then
    [ -n "$line" ] || return 1
    # The time ended inside a message, whose rest is on its way.
    if IFS= read -r rest <&"$MAM_IN"; then line+=$rest && return 0; fi
  fi
  _mam_lost
}

# Says what a message is; behind `result` and `error` stands their JSON.
_mam_kind() {
  jq -rj --arg id "$1" 'if has("method") then (if has("id") then "request" else "event" end)
    elif .id != $id and .id != null then "other"
    elif has("error") then "error", (.error | tojson) else "result", (.result | tojson) end'
}

_mam_take() {
  case $1 in
    event)
      printf '%s\n' "$2" >&"$MAM_KEEP"
      ! declare -F mam_on_event >/dev/null || mam_on_event "$2"
      ;;
    request) _mam_answer "$2" ;;
  esac
}

_mam_answer() {
  local question method answer status=0 reply
  question=$(jq -r '.method, (.params | tojson)' <<<"$1") || return 2
  method=${question%%$'\n'*}
  if declare -F mam_on_request >/dev/null; then
    answer=$(mam_on_request "$method" "${question#*$'\n'}") || status=$?
  else
    answer='{"code":-32601,"message":"no function mam_on_request"}' status=1
  fi
  if ! answer=$(printf '%s' "$answer" | jq -sc 'if length > 1 then error else .[0] end' 2>/dev/null); then
    _mam_refuse "the output of mam_on_request for $method is not one JSON value"
    answer=null status=1
  fi
  reply=$(printf '%s\n' "$1" "$answer" | jq -sc --argjson status "$status" '
    {jsonrpc: "2.0", id: .[0].id} + if $status == 0 then {result: .[1]}
      elif .[1] | type == "object" and has("code") and has("message") then {error: .[1]}
      else {error: {code: -32603, message: "mam_on_request failed"}} end') || return 2
  _mam_write "$reply"
}

_mam_is_of_type() {
  jq -e '.method as $type | $ARGS.positional | length == 0 or any(.[]; . == $type)' --args "${@:2}" <<<"$1" >/dev/null
}

_mam_is_free() {
  [ -n "${MAM_IS_CALLING-}" ] || return 0
  _mam_refuse "$1 cannot be used in mam_on_event or mam_on_request while mam_call waits"
  return 2
}

_mam_refuse() { printf '%s' "$1" | jq -Rsc '{code: null, message: .}' >&2; }

_mam_lost() {
  printf '{"code":null,"message":"the server is gone"}\n' >&2
  return 2
}
