#!/bin/sh
# Stands for litani: what the rules of a kit ask it to do later is done at once.
[ "$1" = add-job ] || exit 0
shift
command=: out=/dev/null err=/dev/stderr ignored= outputs=
while [ $# -gt 0 ]; do
	option=$1
	shift
	case $option in
	--command) command=$1 ;;
	--stdout-file) out=$1 ;;
	--stderr-file) err=$1 ;;
	--ignore-returns) ignored=$1 ;;
	--outputs)
		while [ $# -gt 0 ] && [ "${1#--}" = "$1" ]; do
			mkdir -p "$(dirname "$1")" || exit
			shift
		done
		continue
		;;
	*) continue ;;
	esac
	shift
done
case $command in
# goto-cc knows no --object-bits from version 6 on; older kits give it.
*goto-cc*) command=$(printf %s "$command" | sed 's/ --object-bits [0-9]*//') ;;
esac
mkdir -p "$(dirname "$out")" "$(dirname "$err")" || exit
sh -c "$command" >"$out" 2>"$err"
status=$?
[ "$status" = "$ignored" ] || exit "$status"
