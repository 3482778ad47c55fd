#!/bin/sh
# What MediaMTX runs for whoever publishes (mediamtx.yml): `encoder.sh keep` says every ten seconds that it still does and cuts it
# off once it may not any more, `encoder.sh done` says that it has gone. Needs curl.
#
# It takes what MediaMTX knows from the environment. Never write $MTX_QUERY, which is what an encoder says, into a command of
# mediamtx.yml: MediaMTX before 2026 puts it there as it is, for a shell to run.
DOOR=${DOOR:-http://127.0.0.1:3002/internal/ingest}
API=${API:-http://127.0.0.1:9997/v3}
EVERY_S=${EVERY_S:-10}

# Prints the status of the answer. The query has the key: on standard input, since whoever is on this machine may read arguments.
tell() {
  printf '%s' "$MTX_QUERY" | curl -s -m 8 -o /dev/null -w '%{http_code}' --data-urlencode "call=$1" \
    --data-urlencode "clientid=$MTX_SOURCE_ID" --data-urlencode "name=$MTX_PATH" --data-urlencode query@- "$DOOR"
}

case $MTX_SOURCE_TYPE in
  rtmpConn) kind=rtmpconns ;;
  rtmpsConn) kind=rtmpsconns ;;
  rtspSession) kind=rtspsessions ;;
  srtConn) kind=srtconns ;;
  *) kind=webrtcsessions ;;
esac

if [ "$1" = done ]; then
  tell publish_done
  exit
fi

trap 'kill $!; exit' INT TERM
while sleep "$EVERY_S" & wait $!; do
  case $(tell update_publish) in
    4*) # a service that is away, or a database, cuts nobody off
      curl -s -m 8 -o /dev/null -X POST "$API/$kind/kick/$MTX_SOURCE_ID"
      exit
      ;;
  esac
done
