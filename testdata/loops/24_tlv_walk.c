/*
A walker over type-length-value records checks each length against the rest and stays in the message.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    uint8_t *msg = malloc(n);
    if (!msg)
        return 0;

    size_t pos = 0;
    unsigned records = 0;
    unsigned xor_all = 0;

    while (n - pos >= 2) {
        uint8_t type = msg[pos];
        size_t len = msg[pos + 1];

        if (len > n - pos - 2)
            break;                      /* truncated record */
        pos += 2;
        for (size_t i = 0; i < len; i++)
            xor_all ^= msg[pos + i];
        pos += len;
        records++;
        sassert(pos <= n);
        if (type == 0)
            break;                      /* end mark */
    }
    sassert(pos <= n);
    sassert(2 * (size_t)records <= pos);
    sassert(xor_all <= 255);
    free(msg);
    return 0;
}
