/* The loops over the text of a style sheet: the compiled part of `rule_scan.py`, with the same answers. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030D0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define PARENTHESES 3     /* levels of parentheses in a plain rule, as in `PLAIN_PARENTHESES` */
#define MAX_EXAMINED 2000 /* as in `selector_text` */
#define MAX_OPEN 16       /* brackets within each other in a list of selectors */

typedef const unsigned char *Place;

/* What a byte may begin: NESTING ends plain text, STOP ends the selectors of a plain rule as well. */
enum { NESTING = 1, STOP = 2, NAME = 4, SPACE = 8 };

static const uint8_t KINDS[256] = {
    ['{'] = NESTING, ['}'] = NESTING, ['('] = NESTING, [')'] = NESTING, ['['] = NESTING, [']'] = NESTING,
    ['"'] = NESTING, ['\''] = NESTING, ['\\'] = NESTING, [';'] = STOP, ['@'] = STOP, ['-'] = NAME, ['_'] = NAME,
    ['0'] = NAME, ['1'] = NAME, ['2'] = NAME, ['3'] = NAME, ['4'] = NAME, ['5'] = NAME, ['6'] = NAME, ['7'] = NAME,
    ['8'] = NAME, ['9'] = NAME, ['A'] = NAME, ['B'] = NAME, ['C'] = NAME, ['D'] = NAME, ['E'] = NAME, ['F'] = NAME,
    ['G'] = NAME, ['H'] = NAME, ['I'] = NAME, ['J'] = NAME, ['K'] = NAME, ['L'] = NAME, ['M'] = NAME, ['N'] = NAME,
    ['O'] = NAME, ['P'] = NAME, ['Q'] = NAME, ['R'] = NAME, ['S'] = NAME, ['T'] = NAME, ['U'] = NAME, ['V'] = NAME,
    ['W'] = NAME, ['X'] = NAME, ['Y'] = NAME, ['Z'] = NAME, ['a'] = NAME, ['b'] = NAME, ['c'] = NAME, ['d'] = NAME,
    ['e'] = NAME, ['f'] = NAME, ['g'] = NAME, ['h'] = NAME, ['i'] = NAME, ['j'] = NAME, ['k'] = NAME, ['l'] = NAME,
    ['m'] = NAME, ['n'] = NAME, ['o'] = NAME, ['p'] = NAME, ['q'] = NAME, ['r'] = NAME, ['s'] = NAME, ['t'] = NAME,
    ['u'] = NAME, ['v'] = NAME, ['w'] = NAME, ['x'] = NAME, ['y'] = NAME, ['z'] = NAME,
    ['\t'] = SPACE, ['\n'] = SPACE, ['\v'] = SPACE, ['\f'] = SPACE, ['\r'] = SPACE, [' '] = SPACE,
    [0x1c] = SPACE, [0x1d] = SPACE, [0x1e] = SPACE, [0x1f] = SPACE};

static int is_name(unsigned char byte) { return byte >= 0x80 || KINDS[byte] & NAME; }

/* Cutting rules. Each function returns the end of what begins at `at`, NULL if it is not plain. */

static Place skip_text(Place at, Place end) {
    while (at < end && !(KINDS[*at] & NESTING)) at++;
    return at;
}

static Place skip_escape(Place at, Place end) {
    return end - at < 2 || at[1] == '\n' || at[1] == '\r' || at[1] == '\f' ? NULL : at + 2;
}

/* A string in brackets, without brackets and escapes. */
static Place skip_plain_string(Place at, Place end) {
    unsigned char quote = *at++;
    while (at < end && *at != quote && *at != '\n' && (*at == '"' || *at == '\'' || !(KINDS[*at] & NESTING))) at++;
    return at < end && *at == quote ? at + 1 : NULL;
}

static Place skip_string(Place at, Place end) {
    unsigned char quote = *at++;
    while (at != NULL && at < end && *at != quote && *at != '\n') at = *at == '\\' ? skip_escape(at, end) : at + 1;
    return at != NULL && at < end && *at == quote ? at + 1 : NULL;
}

static Place skip_brackets(Place at, Place end) {
    at = skip_text(at + 1, end);
    while (at != NULL && at < end && (*at == '"' || *at == '\'')) {
        at = skip_plain_string(at, end);
        if (at != NULL) at = skip_text(at, end);
    }
    return at != NULL && at < end && *at == ']' ? at + 1 : NULL;
}

static Place skip_parentheses(Place at, Place end, int levels) {
    if (levels == 0) return NULL;
    for (at = skip_text(at + 1, end); at < end && *at != ')'; at = skip_text(at, end)) {
        if (*at == '(')
            at = skip_parentheses(at, end, levels - 1);
        else if (*at == '[')
            at = skip_brackets(at, end);
        else
            at = *at == '"' || *at == '\'' ? skip_plain_string(at, end) : NULL;
        if (at == NULL) return NULL;
    }
    return at < end ? at + 1 : NULL;
}

static Place skip_nested(Place at, Place end) {
    if (*at == '(') return skip_parentheses(at, end, PARENTHESES);
    if (*at == '[') return skip_brackets(at, end);
    return *at == '\\' ? skip_escape(at, end) : NULL;
}

/* Return the place of the brace that opens the rule's body. */
static Place find_body(Place at, Place end) {
    while (at < end && *at != '{') {
        if (KINDS[*at] & STOP) return NULL;
        at = KINDS[*at] & NESTING ? skip_nested(at, end) : at + 1;
        if (at == NULL) return NULL;
    }
    return at < end ? at : NULL;
}

/* Return the place of the brace that closes a body. */
static Place find_body_end(Place at, Place end) {
    for (at = skip_text(at, end); at < end && *at != '}'; at = skip_text(at, end)) {
        at = *at == '"' || *at == '\'' ? skip_string(at, end) : skip_nested(at, end);
        if (at == NULL) return NULL;
    }
    return at < end ? at : NULL;
}

typedef struct {
    PyObject *css, *layer, *found; /* the sheet, the layer of its rules, and a list of them */
    Place first;                   /* the code of its first character */
} Sheet;

/* Return the text with this code, without spaces around it. A question mark stands for characters beyond ASCII. */
static PyObject *strip(const Sheet *sheet, Place at, Place end) {
    while (at < end && KINDS[*at] & SPACE) at++;
    while (at < end && KINDS[end[-1]] & SPACE) end--;
    PyObject *text = PyUnicode_Substring(sheet->css, at - sheet->first, end - sheet->first);
    if (text == NULL || at == end || (*at != '?' && end[-1] != '?')) return text;
    PyObject *stripped = PyObject_CallMethod(text, "strip", NULL);
    Py_DECREF(text);
    return stripped;
}

static int is_blank(const Sheet *sheet, Place at, Place end) {
    while (at < end && KINDS[*at] & SPACE) at++;
    if (at == end || *at != '?') return at == end;
    PyObject *text = strip(sheet, at, end);
    Py_ssize_t length = text == NULL ? -1 : PyUnicode_GetLength(text);
    Py_XDECREF(text);
    return length < 0 ? -1 : length == 0;
}

/* Add a rule whose body, between two braces, is not blank. */
static int add_rule(const Sheet *sheet, Place at, Place brace, Place end) {
    int blank = is_blank(sheet, brace + 1, end);
    if (blank != 0) return blank < 0 ? -1 : 0;
    PyObject *selectors = strip(sheet, at, brace);
    PyObject *body = PyUnicode_Substring(sheet->css, brace + 1 - sheet->first, end - sheet->first);
    PyObject *rule = selectors == NULL || body == NULL ? NULL : PyTuple_Pack(3, selectors, body, sheet->layer);
    int failed = rule == NULL || PyList_Append(sheet->found, rule) < 0;
    Py_XDECREF(selectors);
    Py_XDECREF(body);
    Py_XDECREF(rule);
    return failed ? -1 : 0;
}

PyDoc_STRVAR(cut_rules_doc,
             "cut_rules(css, codes, start, layer) -> the plain rules from there, and the position after them");

static PyObject *cut_rules(PyObject *module, PyObject *arguments) {
    (void)module;
    Sheet sheet;
    const char *codes;
    Py_ssize_t size, start;
    if (!PyArg_ParseTuple(arguments, "Uy#nO", &sheet.css, &codes, &size, &start, &sheet.layer)) return NULL;
    if (PyUnicode_GetLength(sheet.css) != size || start < 0 || start > size)
        return PyErr_SetString(PyExc_ValueError, "the codes and the start do not fit the sheet"), NULL;
    sheet.first = (Place)codes;
    sheet.found = PyList_New(0);
    Place at = sheet.first + start, end = sheet.first + size;
    while (sheet.found != NULL) {
        Place brace = find_body(at, end), after = brace == NULL ? NULL : find_body_end(brace + 1, end);
        if (after == NULL) break;
        if (add_rule(&sheet, at, brace, after) < 0) Py_CLEAR(sheet.found);
        at = after + 1;
    }
    return sheet.found == NULL ? NULL : Py_BuildValue("Nn", sheet.found, (Py_ssize_t)(at - sheet.first));
}

/* Selecting rules. */

typedef struct {
    PyObject *names, *split_list, *may_concern, *found;
    Py_ssize_t order, max_selectors, max_rules;
} Selection;

enum { NO, YES, UNDECIDED, FAILED = -1 };

static int has_name(Selection *selection, Place at, Place end) {
    PyObject *name = PyUnicode_FromStringAndSize((const char *)at, end - at);
    int found = name == NULL ? -1 : PySet_Contains(selection->names, name);
    Py_XDECREF(name);
    return found;
}

static Place skip_name(Place at, Place end) {
    while (at < end && is_name(*at)) at++;
    return at;
}

/* Return whether the document has the name that a selector begins with; undecided if it begins with none. */
static int judge_leading(Selection *selection, Place at, Place end) {
    while (at < end && KINDS[*at] & SPACE) at++;
    if (at == end || (*at != '.' && *at != '#')) return UNDECIDED;
    Place after = skip_name(at + 1, end);
    if (after == at + 1 || (after < end && *after == '\\')) return UNDECIDED;
    return has_name(selection, at, after);
}

static int begins(Place at, Place end, const char *word) {
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

/* Return whether no static document matches the pseudo-class or element after a colon. */
static int is_unsupported(Place at, Place end) {
    static const char *const WORDS[] = {":",       "hover",  "focus", "active",
                                        "visited", "before", "after", "placeholder"};
    for (size_t place = 0; place < sizeof WORDS / sizeof *WORDS; place++)
        if (begins(at, end, WORDS[place])) return 1;
    return 0;
}

static int judge_plain(Selection *selection, Place at, Place end) {
    int is_blank = 1, has_unknown = 0, supported = 1;
    while (at < end) {
        unsigned char byte = *at++;
        if (byte >= 0x80)
            has_unknown = 1; /* perhaps a space */
        else if (!(KINDS[byte] & SPACE))
            is_blank = 0;
        if (byte == ':' && is_unsupported(at, end)) supported = 0;
        if ((byte != '.' && byte != '#') || at == end || !is_name(*at)) continue;
        Place after = skip_name(at, end);
        int found = has_name(selection, at - 1, after);
        if (found <= 0) return found;
        at = after;
    }
    if (is_blank && has_unknown) return UNDECIDED;
    return !is_blank && supported;
}

/* Return the end of the attribute selector, as `ATTRIBUTE` has it; NULL if it is not plain. */
static Place skip_attribute(Place at, Place end) {
    for (at++; at < end && *at != ']'; at++) {
        if (*at == '[' || *at == '\\') return NULL;
        if (*at != '"' && *at != '\'') continue;
        unsigned char quote = *at++;
        while (at < end && *at != quote && *at != '\\') at++;
        if (at == end || *at != quote) return NULL;
    }
    return at < end ? at + 1 : NULL;
}

/* Skip an attribute selector or count a parenthesis; NULL where brackets are not plain or a name goes on after them. */
static Place skip_bracket(Place at, Place end, int *depth) {
    if (*at == '(') return ++*depth > 2 ? NULL : at + 1;
    Place after = *at == '[' ? skip_attribute(at, end) : at + 1;
    if (*at == ')' && --*depth < 0) return NULL;
    return after == NULL || *at == ']' || (after < end && is_name(*after)) ? NULL : after;
}

static int is_examined(Place at, Place end) {
    return end - at <= MAX_EXAMINED && memchr(at, '\\', end - at) == NULL && memchr(at, 0xf3, end - at) == NULL;
}

/* Judge a selector with brackets by what is outside them; undecided where that is not all that is required. */
static int judge_unusual(Selection *selection, Place at, Place end) {
    int verdict = judge_leading(selection, at, end), depth = 0, has_all = 1, may_require = 0;
    if (verdict <= 0 || !is_examined(at, end)) return verdict <= 0 ? verdict : UNDECIDED;
    verdict = YES;
    unsigned char before = 0, byte = 0;
    while (at < end) {
        before = byte, byte = *at;
        if (byte == '(' || byte == ')' || byte == '[' || byte == ']') {
            at = before == ':' ? NULL : skip_bracket(at, end, &depth);
            if (at == NULL) return UNDECIDED;
            /* perhaps the end of `:is` or `:where` */
            if (byte == '(' && ((before | 32) == 's' || (before | 32) == 'e' || before >= 0x80)) may_require = 1;
            if (byte == '[') byte = before; /* which a parenthesis after it may belong to */
            continue;
        }
        at++;
        if (depth != 0) continue;
        if (byte == ':' && is_unsupported(at, end)) verdict = NO;
        if ((byte != '.' && byte != '#') || at == end || !is_name(*at)) continue;
        Place after = skip_name(at, end);
        int found = has_name(selection, at - 1, after);
        if (found < 0) return FAILED;
        if (!found) has_all = 0;
        byte = after[-1];
        at = after;
    }
    if (depth != 0) return UNDECIDED;
    return !has_all ? NO : may_require ? UNDECIDED : verdict;
}

static int ask(Selection *selection, PyObject *text) {
    PyObject *found = PyObject_CallFunctionObjArgs(selection->may_concern, text, selection->names, NULL);
    int answer = found == NULL ? FAILED : PyObject_IsTrue(found);
    Py_XDECREF(found);
    return answer;
}

/* Return whether a selector may match in the document; `at` is NULL for one with half of a surrogate pair. */
static int judge(Selection *selection, Place at, Place end, PyObject *text) {
    int unusual = 0, verdict = UNDECIDED;
    for (Place next = at; next < end; next++) unusual |= *next == '(' || *next == '[' || *next == '\\';
    if (at != NULL) verdict = unusual ? judge_unusual(selection, at, end) : judge_plain(selection, at, end);
    if (verdict != UNDECIDED) return verdict;
    if (text != NULL) return ask(selection, text);
    text = PyUnicode_FromStringAndSize((const char *)at, end - at);
    verdict = text == NULL ? FAILED : ask(selection, text);
    Py_XDECREF(text);
    return verdict;
}

static int keep(Selection *selection, PyObject *text, PyObject *rule) {
    PyObject *key = PyTuple_Pack(3, text, PyTuple_GetItem(rule, 1), PyTuple_GetItem(rule, 2));
    PyObject *order = key == NULL ? NULL : PyLong_FromSsize_t(selection->order);
    int failed = order == NULL || PyDict_SetItem(selection->found, key, order) < 0;
    Py_XDECREF(key);
    Py_XDECREF(order);
    return failed ? -1 : 0;
}

static int is_full(const Selection *selection) {
    return selection->order >= selection->max_selectors || PyDict_Size(selection->found) > selection->max_rules;
}

/* Keep the rule for one of its selectors if it may concern the document; `text` is NULL for a part of a list. */
static int examine(Selection *selection, Place at, Place end, PyObject *text, PyObject *rule) {
    if (is_full(selection)) return 0;
    selection->order++;
    int verdict = judge(selection, at, end, text);
    if (verdict <= 0) return verdict;
    if (text != NULL) return keep(selection, text, rule);
    text = PyUnicode_FromStringAndSize((const char *)at, end - at);
    int failed = text == NULL || keep(selection, text, rule) < 0;
    Py_XDECREF(text);
    return failed ? -1 : 0;
}

static int examine_text(Selection *selection, PyObject *text, PyObject *rule) {
    Py_ssize_t size = 0;
    if (!PyUnicode_Check(text)) return PyErr_SetString(PyExc_TypeError, "a selector is a string"), -1;
    Place at = (Place)PyUnicode_AsUTF8AndSize(text, &size);
    if (at == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
        PyErr_Clear();
    }
    return examine(selection, at, at == NULL ? NULL : at + size, text, rule);
}

/* Return the end of the escape or string in a list of selectors, as `ESCAPE_OR_STRING` has it. */
static Place skip_quoted(Place at, Place end) {
    unsigned char quote = *at++;
    if (quote == '\\') return at < end ? at + 1 : end;
    while (at < end && *at != quote && *at != '\n') at += *at == '\\' && end - at > 1 ? 2 : 1;
    return at < end && *at == quote ? at + 1 : at;
}

/* Return the next comma outside brackets, `end` if there is none; NULL where brackets are not plain. */
static Place find_comma(Place at, Place end) {
    unsigned char closing[MAX_OPEN + 1] = {0};
    unsigned char before = 0, byte = 0;
    int open = 0;
    while (at < end && (open != 0 || *at != ',')) {
        before = byte, byte = *at;
        if (byte == '\\' || byte == '"' || byte == '\'') {
            at = skip_quoted(at, end);
            continue;
        }
        if (open != 0 && byte == closing[open])
            open--;
        else if (byte == '(' || byte == '[' || byte == '{') {
            if (open == MAX_OPEN || (byte == '(' && (before | 32) == 'l')) return NULL; /* perhaps `url()` */
            closing[++open] = byte == '(' ? ')' : byte + 2;
        }
        at++;
    }
    return at;
}

/* Examine the selectors of a list in which brackets are not plain. */
static int examine_list(Selection *selection, PyObject *selectors, PyObject *rule) {
    PyObject *pieces = PyObject_CallFunctionObjArgs(selection->split_list, selectors, NULL);
    int failed = pieces == NULL;
    if (!failed && !PyList_Check(pieces)) failed = 1, PyErr_SetString(PyExc_TypeError, "expected a list of selectors");
    for (Py_ssize_t place = 0; !failed && place < PyList_Size(pieces); place++) {
        PyObject *text = PyList_GetItemRef(pieces, place);
        failed = text == NULL || examine_text(selection, text, rule) < 0;
        Py_XDECREF(text);
    }
    Py_XDECREF(pieces);
    return failed ? -1 : 0;
}

static int examine_rule(Selection *selection, PyObject *rule) {
    if (!PyTuple_Check(rule) || PyTuple_Size(rule) != 3 || !PyUnicode_Check(PyTuple_GetItem(rule, 0)))
        return PyErr_SetString(PyExc_TypeError, "a rule has selectors, a body and a layer"), -1;
    PyObject *selectors = PyTuple_GetItem(rule, 0);
    Py_ssize_t size = 0;
    Place at = (Place)PyUnicode_AsUTF8AndSize(selectors, &size);
    if (at == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
        PyErr_Clear();
        return examine_list(selection, selectors, rule);
    }
    Place end = at + size, comma = at;
    if (memchr(at, ',', size) == NULL) return examine(selection, at, end, selectors, rule);
    while (comma != NULL && comma < end) {
        comma = find_comma(comma, end);
        if (comma != NULL && comma < end) comma++;
    }
    if (comma == NULL) return examine_list(selection, selectors, rule);
    for (; (comma = find_comma(at, end)) < end; at = comma + 1)
        if (examine(selection, at, comma, NULL, rule) < 0) return -1;
    return examine(selection, at, end, NULL, rule);
}

PyDoc_STRVAR(find_concerned_doc, "find_concerned(rules, names, max_selectors, max_rules, split_list, may_concern) -> "
                                 "the place of the last of equal rules that may concern a document");

static PyObject *find_concerned(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *rules;
    Selection selection = {0};
    if (!PyArg_ParseTuple(arguments, "OOnnOO", &rules, &selection.names, &selection.max_selectors, &selection.max_rules,
                          &selection.split_list, &selection.may_concern))
        return NULL;
    if (!PyList_Check(rules) || !PySet_Check(selection.names))
        return PyErr_SetString(PyExc_TypeError, "expected a list of rules and a set of names"), NULL;
    selection.found = PyDict_New();
    if (selection.found == NULL) return NULL;
    for (Py_ssize_t place = 0; place < PyList_Size(rules) && !is_full(&selection); place++) {
        PyObject *rule = PyList_GetItemRef(rules, place);
        int failed = rule == NULL || examine_rule(&selection, rule) < 0;
        Py_XDECREF(rule);
        if (failed) return Py_DECREF(selection.found), NULL;
    }
    return selection.found;
}

/* Custom properties. */

static int add_name(PyObject *found, Place at, Place end) {
    PyObject *name = PyUnicode_FromStringAndSize((const char *)at, end - at);
    int failed = name == NULL || PySet_Add(found, name) < 0;
    Py_XDECREF(name);
    return failed ? -1 : 0;
}

PyDoc_STRVAR(find_declared_doc, "find_declared(body) -> the custom properties that the ASCII body of a rule declares");

static PyObject *find_declared(PyObject *module, PyObject *body) {
    (void)module;
    Py_ssize_t size = 0;
    if (!PyUnicode_Check(body)) return PyErr_SetString(PyExc_TypeError, "a body is a string"), NULL;
    Place at = (Place)PyUnicode_AsUTF8AndSize(body, &size);
    if (at == NULL) return NULL;
    Place end = at + size;
    PyObject *found = PySet_New(NULL);
    while (found != NULL && (at = memchr(at, '-', end - at)) != NULL) {
        if (end - at < 3 || at[1] != '-' || !is_name(at[2])) {
            at++;
            continue;
        }
        Place after = skip_name(at + 2, end), next = after;
        while (next < end && KINDS[*next] & SPACE) next++;
        if (next < end && *next == ':' && add_name(found, at, after) < 0) Py_CLEAR(found);
        at = after;
    }
    return found;
}

/* Return the names that a body declares, or what `read_names` says of one whose names its bytes do not show. */
static PyObject *find_names(PyObject *body, PyObject *read_names) {
    Py_ssize_t size = 0;
    const char *at = PyUnicode_AsUTF8AndSize(body, &size);
    if (at == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return NULL;
        PyErr_Clear();
    }
    int is_plain = at != NULL && PyUnicode_GetLength(body) == size && memchr(at, '\\', size) == NULL;
    for (const char *next = at; is_plain && (next = memchr(next, '/', at + size - next)) != NULL; next++)
        if (next + 1 < at + size && next[1] == '*') is_plain = 0;
    return is_plain ? find_declared(NULL, body) : PyObject_CallFunctionObjArgs(read_names, body, NULL);
}

/* Append an item to the list of a name. */
static int add_to_group(PyObject *groups, PyObject *name, PyObject *item) {
    PyObject *group = PyDict_GetItemWithError(groups, name);
    if (group != NULL) return PyList_Append(group, item);
    if (PyErr_Occurred()) return -1;
    group = Py_BuildValue("[O]", item);
    int failed = group == NULL || PyDict_SetItem(groups, name, group) < 0;
    Py_XDECREF(group);
    return failed ? -1 : 0;
}

static int group_rule(PyObject *groups, PyObject *rule, PyObject *dashes, PyObject *read_names) {
    PyObject *selectors, *body, *layer, *name;
    if (!PyTuple_Check(rule)) return PyErr_SetString(PyExc_TypeError, "a rule has selectors, a body and a layer"), -1;
    if (!PyArg_ParseTuple(rule, "UUO", &selectors, &body, &layer)) return -1;
    int has_dashes = PyUnicode_Contains(body, dashes);
    if (has_dashes <= 0) return has_dashes;
    PyObject *found = find_names(body, read_names), *names = found == NULL ? NULL : PyObject_GetIter(found);
    PyObject *item = names == NULL ? NULL : PyTuple_Pack(2, selectors, body);
    while (item != NULL && (name = PyIter_Next(names)) != NULL) {
        if (add_to_group(groups, name, item) < 0) Py_CLEAR(item);
        Py_DECREF(name);
    }
    int failed = item == NULL || PyErr_Occurred();
    Py_XDECREF(item);
    Py_XDECREF(names);
    Py_XDECREF(found);
    return failed ? -1 : 0;
}

PyDoc_STRVAR(group_by_declared_doc, "group_by_declared(rules, read_names) -> the selectors and bodies of the rules that "
                                    "may declare a custom property, by its name");

static PyObject *group_by_declared(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *rules, *read_names;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyList_Type, &rules, &read_names)) return NULL;
    PyObject *dashes = PyUnicode_FromString("--"), *groups = dashes == NULL ? NULL : PyDict_New();
    for (Py_ssize_t place = 0; groups != NULL && place < PyList_Size(rules); place++) {
        PyObject *rule = PyList_GetItemRef(rules, place);
        if (rule == NULL || group_rule(groups, rule, dashes, read_names) < 0) Py_CLEAR(groups);
        Py_XDECREF(rule);
    }
    Py_XDECREF(dashes);
    return groups;
}

static PyMethodDef methods[] = {{"cut_rules", cut_rules, METH_VARARGS, cut_rules_doc},
                                {"find_concerned", find_concerned, METH_VARARGS, find_concerned_doc},
                                {"find_declared", find_declared, METH_O, find_declared_doc},
                                {"group_by_declared", group_by_declared, METH_VARARGS, group_by_declared_doc},
                                {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_rule_scan", NULL, 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__rule_scan(void) { return PyModuleDef_Init(&definition); }
