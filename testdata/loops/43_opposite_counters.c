/*
A left and a right index approach each other and the steps taken from both ends add up to the length.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    int n = nd_int();
    int lo = 0;
    int hi, left = 0, right = 0;

    assume(n >= 0 && n <= 1000000);
    hi = n;
    while (lo < hi) {
        if (nd_bool()) {
            lo++;
            left++;
        } else {
            hi--;
            right++;
        }
        sassert(left + right + (hi - lo) == n);
    }
    sassert(lo == hi);
    sassert(left + right == n);
    return 0;
}
