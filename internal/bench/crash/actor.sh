# The operator, gate and measure of the crash runs. Each start and end is one
# line, written at once, to a file that clade does not know. Delays are counted,
# not timed, and uneven.
say() { echo "$1 $role $key" >>"$ACTOR_TRACE"; }
spin() { i=0; while [ $i -lt "$1" ]; do i=$((i + 1)); done; }
role=$1
if [ "$role" = propose ]; then
	key=$CLADE_ATTEMPT
else
	read -r key score <gene
fi
say start
spin $((key * 7919 % 13 * 150))
status=0
case $role in
propose)
	# One that lingers outlives its clade: once another does its work it writes
	# where it should not be able to any more.
	if [ "$ACTOR_LINGER" = "$key" ]; then
		while [ "$(grep -c "^start propose $key\$" "$ACTOR_TRACE")" -lt 2 ]; do :; done
		while :; do echo "$key 999999" >gene; done
	fi
	read -r parent score <gene
	draw=1${CLADE_DRAW#"${CLADE_DRAW%??}"}
	if [ $((key % 11)) = 5 ]; then
		status=1
	else
		echo "$key $((score + draw - 140))" >gene
	fi
	echo "{\"spent\":{\"calls\":1,\"tokens\":$key}}"
	;;
gate) [ $((key % 9)) != 7 ] || status=1 ;;
measure) echo "$score" ;;
esac
say end
exit $status
