/*
A copy with several error exits through one clean-up label has written everything if it reports success.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    int status = -1;
    size_t written = 0;
    uint8_t *src = NULL;
    uint8_t *dst = NULL;
    size_t n = nd_size_t();

    assume(n <= 100000);
    src = malloc(n);
    if (!src)
        goto out;
    dst = malloc(n);
    if (!dst)
        goto out;

    for (size_t i = 0; i < n; i++) {
        if (src[i] == 0xff) {
            status = -2;
            goto out;
        }
        if (nd_bool() && nd_bool()) {
            status = -3;
            goto out;
        }
        dst[i] = src[i] ^ 0x20;
        written++;
    }
    status = 0;
out:
    sassert(status != 0 || written == n);
    sassert(status != -2 || (src && src[written] == 0xff));
    sassert(status != -1 || !src || !dst);
    free(dst);
    free(src);
    return 0;
}
