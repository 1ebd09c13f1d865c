/*
A parser for header fields with nested loops for name, value and line end keeps its position inside the message.
verdict: proved
*/
#include <unitproof.h>

struct parser {
    const char *p;
    size_t len;
    size_t pos;
};

static void skip_blanks(struct parser *ps)
{
    while (ps->pos < ps->len && (ps->p[ps->pos] == ' ' || ps->p[ps->pos] == '\t'))
        ps->pos++;
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *msg = malloc(n);
    if (!msg)
        return 0;

    struct parser ps = { msg, n, 0 };
    unsigned fields = 0;
    size_t longest = 0;

    while (ps.pos < ps.len && ps.p[ps.pos] != '\r' && ps.p[ps.pos] != '\n') {
        size_t name_start = ps.pos;

        while (ps.pos < ps.len && ps.p[ps.pos] != ':' && ps.p[ps.pos] != '\n')
            ps.pos++;
        if (ps.pos == ps.len || ps.p[ps.pos] != ':')
            break;                      /* no colon on this line */
        sassert(ps.pos >= name_start);
        ps.pos++;
        skip_blanks(&ps);

        size_t value_start = ps.pos;
        while (ps.pos < ps.len && ps.p[ps.pos] != '\n')
            ps.pos++;
        if (ps.pos - value_start > longest)
            longest = ps.pos - value_start;
        if (ps.pos < ps.len)
            ps.pos++;
        fields++;
        sassert(ps.pos > name_start);
    }
    sassert(ps.pos <= n && ps.len == n);
    sassert(longest <= n && fields <= n);
    free(msg);
    return 0;
}
