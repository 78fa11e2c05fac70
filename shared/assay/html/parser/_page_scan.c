/* One pass over a page that tells whether `page_limits.limit_page` would return it as it is. */

#define Py_LIMITED_API 0x030D0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define MAX_EQUAL_FORMATTING 3 /* as in `page_limits` */
#define BLOCK 16               /* bytes */
#define MAX_DISTINCT 32        /* tags that are told apart; a page with more may be sent the longer way */

typedef struct {
    const unsigned char *start;
    Py_ssize_t length, count;
} Tag;

typedef struct {
    const unsigned char *next, *end;
    Py_ssize_t tags, formatting, roots, distinct;
    Tag open[MAX_DISTINCT];
} Scan;

static const char *const FORMATTING[] = {"b", "big",   "code",   "em",     "font", "i", "nobr",
                                         "s", "small", "strike", "strong", "tt",   "u"};

/* 1 for bytes that need a look: controls except tab and line breaks, `&`, `<`, the first byte of U+FFFE and U+FFFF. */
static const uint8_t NOTABLE[256] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    ['&'] = 1, ['<'] = 1, [0xef] = 1};

static int is_digit(unsigned char byte, int base) {
    return (byte >= '0' && byte <= '9') || (base == 16 && (byte | 32) >= 'a' && (byte | 32) <= 'f');
}

/* Whether the characters after `&` may refer to one that is removed. */
static int is_control_reference(const Scan *scan) {
    const unsigned char *at = scan->next;
    int base = 10;
    long value = 0;
    if (at == scan->end || *at++ != '#') return 0;
    if (at < scan->end && (*at | 32) == 'x') base = 16, at++;
    const unsigned char *first = at;
    for (; at < scan->end && is_digit(*at, base) && value < 0x110000; at++)
        value = value * base + (*at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10);
    if (at < scan->end && *at >= 0x80) return 1; /* perhaps a digit of another script */
    return at > first && (value < 32 || value == 0xfffe || value == 0xffff) && value != 9 && value != 10 && value != 13;
}

static int is_space(unsigned char byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\f' || byte == '\r';
}

/* Whether the byte may be in the name of an attribute, or in its value without quotes. */
static int is_bare(unsigned char byte) {
    return !is_space(byte) && byte != '<' && byte != '>' && byte != '"' && byte != '\'' && byte != '/' && byte != '=';
}

/* The functions below read the null byte at `end`, never beyond it. */
static const unsigned char *skip_bare(const unsigned char *at, const unsigned char *end) {
    while (at < end && is_bare(*at)) at++;
    return at;
}

static const unsigned char *skip_spaces(const unsigned char *at) {
    while (is_space(*at)) at++;
    return at;
}

/* Return the end of the value at `at`; NULL if there is none. */
static const unsigned char *skip_value(const unsigned char *at, const unsigned char *end) {
    if (*at != '"' && *at != '\'') {
        const unsigned char *after = skip_bare(at, end);
        return after > at ? after : NULL;
    }
    unsigned char quote = *at++;
    while (at < end && *at != quote && *at != '<' && *at != '>') at++;
    return at < end && *at == quote ? at + 1 : NULL;
}

/* Return the end of a tag whose attributes, from `at`, are well formed, as `FORMATTING_TAG` has it; NULL otherwise. */
static const unsigned char *find_tag_end(const unsigned char *at, const unsigned char *end) {
    for (;;) {
        const unsigned char *name = skip_spaces(at), *after = skip_bare(name, end);
        if (name == at || after == name) {
            at = name;
            break;
        }
        at = after;
        if (*at != '=') continue;
        at = skip_value(at + 1, end);
        if (at == NULL) return NULL;
    }
    at += *at == '/';
    return at < end && *at == '>' ? at + 1 : NULL;
}

/* Whether nothing but text is between `at` and the end tag of the name. */
static int is_closed(const unsigned char *at, const unsigned char *end, const char *name, int length) {
    at = memchr(at, '<', end - at);
    if (at == NULL || end - at < length + 3 || at[1] != '/' || at[length + 2] != '>') return 0;
    for (int place = 0; place < length; place++)
        if ((at[place + 2] | 32) != name[place]) return 0;
    return 1;
}

/* Count a formatting tag that the parser may open again: of equal ones only so many. */
static void count_formatting(Scan *scan, const char *name, int length) {
    const unsigned char *start = scan->next, *end = find_tag_end(start + length, scan->end);
    if (end != NULL && is_closed(end, scan->end, name, length)) return;
    for (Py_ssize_t place = 0; end != NULL && place < scan->distinct; place++) {
        Tag *tag = scan->open + place;
        if (tag->length != end - start || memcmp(tag->start, start, tag->length) != 0) continue;
        scan->formatting += tag->count++ < MAX_EQUAL_FORMATTING;
        return;
    }
    if (end != NULL && scan->distinct < MAX_DISTINCT) scan->open[scan->distinct++] = (Tag){start, end - start, 1};
    scan->formatting++;
}

static int is_name(const char *name, const char *other) { return *name == *other && strcmp(name, other) == 0; }

/* Count a tag, and whether it is one of those of which there may be few. */
static void count_tag(Scan *scan) {
    char name[8] = "";
    int length = 0;
    const unsigned char *at = scan->next;
    scan->tags++;
    for (; at < scan->end && length < 7 && (*at | 32) >= 'a' && (*at | 32) <= 'z'; at++)
        name[length++] = (char)(*at | 32);
    if (length == 0 || length == 7 || at == scan->end) return;
    if (*at > ' ' && *at != '/' && *at != '>' && *at < 0x80) return; /* the name goes on */
    scan->roots += is_name(name, "html") || is_name(name, "body");
    for (size_t place = 0; place < sizeof FORMATTING / sizeof *FORMATTING; place++)
        if (is_name(name, FORMATTING[place])) count_formatting(scan, name, length);
}

/* The first byte that needs a look. Compilers examine a block at once. */
static const unsigned char *skip_plain(const unsigned char *at, const unsigned char *end) {
    while (end - at >= BLOCK) {
        unsigned char found = 0;
        for (int place = 0; place < BLOCK; place++) {
            unsigned char byte = at[place];
            found |= (byte == '<') | (byte == '&') | (byte == 0xef);
            found |= (byte < ' ') & (byte != '\t') & (byte != '\n') & (byte != '\r');
        }
        if (found) break;
        at += BLOCK;
    }
    while (at < end && !NOTABLE[*at]) at++;
    return at;
}

/* Count the tags of the page, up to `max_tags`; return 0 at a character that is removed or replaced. */
static int scan_page(Scan *scan, Py_ssize_t max_tags) {
    while ((scan->next = skip_plain(scan->next, scan->end)) < scan->end) {
        unsigned char byte = *scan->next++;
        if (byte == '<') {
            count_tag(scan);
            if (scan->tags > max_tags) break;
        } else if (byte == '&') {
            if (is_control_reference(scan)) return 0;
        } else if (byte != 0xef || (scan->next[0] == 0xbf && scan->next[1] >= 0xbe))
            return 0; /* `end` is followed by a null byte, so `next` may be read */
    }
    return 1;
}

PyDoc_STRVAR(is_ordinary_doc,
             "is_ordinary(html, max_tags, max_elements, max_roots) -> whether the page has no controls and few tags");

static PyObject *is_ordinary(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *html;
    Py_ssize_t max_tags, max_elements, max_roots, size;
    if (!PyArg_ParseTuple(arguments, "Unnn", &html, &max_tags, &max_elements, &max_roots)) return NULL;
    const char *text = PyUnicode_AsUTF8AndSize(html, &size);
    if (text == NULL) { /* half of a surrogate pair, unless memory is short */
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return NULL;
        PyErr_Clear();
        Py_RETURN_FALSE;
    }
    Scan scan = {(const unsigned char *)text, (const unsigned char *)text + size, 0, 0, 0, 0, {{0}}};
    int fits = scan_page(&scan, max_tags) && scan.tags <= max_tags && scan.roots <= max_roots &&
               scan.tags <= max_elements / (scan.formatting ? scan.formatting : 1);
    return PyBool_FromLong(fits);
}

static PyMethodDef methods[] = {{"is_ordinary", is_ordinary, METH_VARARGS, is_ordinary_doc}, {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_page_scan", NULL, 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__page_scan(void) { return PyModuleDef_Init(&definition); }
