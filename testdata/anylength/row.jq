# One line of the table: verdict, seconds, obligations that are proved, and the kinds and lines of all others.
.proofs[0] as $p
| ($p.obligations // []) as $all
| [$all[] | select(.verdict != "proved" and .verdict != "unreachable")] as $open
| [$n, $r, $p.verdict, $t, ([$all[] | select(.verdict == "proved")] | length | tostring),
   ([$open[] | "\(.verdict) \(.kind) \(.file | split("/") | last):\(.line)"] | unique | .[:6] | join(", "))]
| @tsv
