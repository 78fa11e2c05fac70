/* The loop of the walk over a page, with the fields of its frames and blocks.

   The compiled part of `block_walk.py`, `block_collector.py` and `walk_fields.py`, with the same answers. What is rare on
   a page is left to the methods of `DomWalker`, which use the same fields. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030D0000
#include "block_fields.h"
#include <math.h>
#include <string.h>

#define MAX_OPEN_MARKS 12
#define MAX_BLOCKS 10000
#define MAX_CHARACTERS 4000000
#define LINE_WORDS 12

/* The traits of a tag, as in `element_kinds.py`. */
enum { CUSTOM, SKIP, BLOCK, INLINE, ALONE, HOLLOW, KIND = 7 };
enum {
    READ = 8, BR = 16, STYLED = 32, SPAN = 64, SPECIAL_TAG = 128, QUOTE_TAG = 256, PARAGRAPH = 512, PREFORMATTED = 1024,
    CODE_CONTAINER = 2048, ITEM = 4096, POSITIONED = 8192, SEPARABLE = 16384, CITE = 32768,
    BUTTON = 65536,
};
enum { SPECIAL_CLASS = 1, CODE_CLASS = 2 }; /* of a class attribute */

enum { NOT_ENTERED, AS_INLINE, AS_BLOCK, AS_MARK, AS_LINE, AS_CUSTOM, AS_QUOTE }; /* how to leave an element */

typedef struct {
    PyObject_HEAD
    PyObject *resolver, *page, *tokens, *open_marks, *preformatted, *state, *classes, *frame; /* never NULL */
    PyObject *hiding, *budget;         /* of the resolver: rules that may hide; NULL where there are none */
    PyObject *rules, *rule_attributes; /* those rules by element */
    Py_ssize_t links_open, link_characters, links, breaks, characters;
    char has_content, may_have_image, at_start, is_shown, is_full;
    char background_known, is_external, has_displaced;
} Walk;

/* Set by `configure` and when the module is loaded. */
static PyTypeObject *element_base, *frame_base, *block_base, *frame_type, *block_type;
static PyObject *break_token, *traits_by_tag, *mark_by_tag, *count_words;
static PyObject *zero, *space, *line_end, *empty, *opening_quote, *closing_quote, *open_word, *close_word, *link_mark;

/* Names of attributes and methods. */
#define NAMES(use) \
    use(a) use(class) use(id) use(href) use(li) use(p) use(text) use(pre) use(image) use(marker) \
    use(body) use(shows) use(background_known) use(hiding) use(rules_by_element) use(attributes) use(external) \
    use(displaced) use(blocks) use(frames) use(resolve) use(resolve_matched) use(has_match) use(budget) \
    use(isspace) use(endswith) use(register_position) \
    use(_is_read) use(_is_hollow) use(_open) use(_drop) use(_change_state) use(_replace_special) use(_add_standalone) \
    use(_enter_line) use(_find_role_tag) use(_find_inline_role) use(_find_style_mark) use(_separate) \
    use(_join_sentence)
#define DECLARE(name) static PyObject *name_##name;
NAMES(DECLARE)

/* The types. */

#define FIRST_frame element
#define FIRST_block index
#define FIRST_walk resolver
#define NEVER_NULL_frame 18
#define NEVER_NULL_block 10
#define NEVER_NULL_walk 8
OBJECT_TYPE(frame, Frame, 18)
OBJECT_TYPE(block, Block, 10)
OBJECT_TYPE(walk, Walk, 12)

static PyMemberDef frame_members[] = {
    OBJECT(Frame, element), OBJECT(Frame, tag), OBJECT(Frame, parent), OBJECT(Frame, first), OBJECT(Frame, last),
    OBJECT(Frame, words), OBJECT(Frame, link_words), OBJECT(Frame, blocks), OBJECT(Frame, texts), OBJECT(Frame, items),
    OBJECT(Frame, place), OBJECT(Frame, nested), OBJECT(Frame, rows), OBJECT(Frame, cells), OBJECT(Frame, marker),
    OBJECT(Frame, data), OBJECT(Frame, heading), OBJECT(Frame, table), {NULL, 0, 0, 0, NULL},
};

static PyMemberDef block_members[] = {
    OBJECT(Block, index), OBJECT(Block, frame), OBJECT(Block, tokens), OBJECT(Block, text), OBJECT(Block, kind),
    OBJECT(Block, words), OBJECT(Block, links), OBJECT(Block, link_words), OBJECT(Block, is_running_text),
    OBJECT(Block, score), {NULL, 0, 0, 0, NULL},
};

static PyMemberDef walk_members[] = {
    OBJECT(Walk, resolver), OBJECT(Walk, page), OBJECT(Walk, tokens), OBJECT(Walk, open_marks),
    OBJECT(Walk, preformatted), OBJECT(Walk, state), OBJECT(Walk, classes), OBJECT(Walk, frame),
    {"has_content", Py_T_BOOL, offsetof(Walk, has_content), 0, NULL},
    {"may_have_image", Py_T_BOOL, offsetof(Walk, may_have_image), 0, NULL},
    {"at_start", Py_T_BOOL, offsetof(Walk, at_start), 0, NULL},
    {"is_shown", Py_T_BOOL, offsetof(Walk, is_shown), 0, NULL},
    {"is_full", Py_T_BOOL, offsetof(Walk, is_full), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* Small helpers. */

static Py_ssize_t as_number(PyObject *object) { return PyLong_AsSsize_t(object); }

/* Add to a field that holds a whole number. */
static int add_number(PyObject **field, Py_ssize_t more) {
    if (more == 0) return 0;
    Py_ssize_t number = PyLong_AsSsize_t(*field);
    if (number == -1 && PyErr_Occurred()) return -1;
    PyObject *sum = PyLong_FromSsize_t(number + more);
    if (sum == NULL) return -1;
    set_field(field, sum);
    return 0;
}

static int read_traits(PyObject *tag, long *traits) {
    PyObject *found = PyDict_GetItemWithError(traits_by_tag, tag);
    if (found == NULL) return *traits = CUSTOM, PyErr_Occurred() ? -1 : 0;
    *traits = PyLong_AsLong(found);
    return *traits == -1 && PyErr_Occurred() ? -1 : 0;
}

static Element *next_element(PyObject *link) { return is_a(link, element_base) ? (Element *)link : NULL; }

static int call_nothing(PyObject *answer) {
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

/* The number of blocks so far. */
static Py_ssize_t count_blocks(Walk *walk) {
    PyObject *blocks = PyObject_GetAttr(walk->page, name_blocks);
    Py_ssize_t count = blocks == NULL ? -1 : PyList_Size(blocks);
    Py_XDECREF(blocks);
    return count;
}

/* Append to a list attribute of the page. */
static int append_to_page(Walk *walk, PyObject *name, PyObject *item) {
    PyObject *list = PyObject_GetAttr(walk->page, name);
    int failed = list == NULL || PyList_Append(list, item) < 0;
    Py_XDECREF(list);
    return failed ? -1 : 0;
}

/* Frames and blocks. */

/* The level of a heading, 0 for other tags. */
static long heading_level(PyObject *tag) {
    if (PyUnicode_GetLength(tag) != 2 || PyUnicode_ReadChar(tag, 0) != 'h') return 0;
    Py_UCS4 sign = PyUnicode_ReadChar(tag, 1);
    return sign >= '1' && sign <= '6' ? (long)(sign - '0') : 0;
}

static PyObject *create_frame(PyTypeObject *type, PyObject *element, PyObject *tag, PyObject *parent, Py_ssize_t first) {
    PyObject *self = frame_new(type, NULL, NULL), *place = PyLong_FromSsize_t(first);
    if (self == NULL || place == NULL) return Py_XDECREF(self), Py_XDECREF(place), NULL;
    Frame *frame = (Frame *)self, *above = is_a(parent, frame_base) ? (Frame *)parent : NULL;
    set_field(&frame->element, new_reference(element));
    set_field(&frame->tag, new_reference(tag));
    set_field(&frame->parent, new_reference(parent));
    set_field(&frame->first, place);
    set_field(&frame->last, new_reference(place));
    PyObject **numbers[] = {&frame->words, &frame->link_words, &frame->blocks, &frame->texts,
                            &frame->items, &frame->place,      &frame->cells};
    for (size_t number = 0; number < sizeof numbers / sizeof *numbers; number++)
        set_field(numbers[number], new_reference(zero));
    set_field(&frame->nested, new_reference(Py_False));
    long level = heading_level(tag);
    PyObject *heading = level || above == NULL ? PyLong_FromLong(level) : new_reference(above->heading);
    if (heading == NULL) return Py_DECREF(self), NULL;
    set_field(&frame->heading, heading);
    if (above != NULL) set_field(&frame->table, new_reference(above->table));
    return self;
}

static int frame_init(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"element", "tag", "parent", "first", NULL};
    PyObject *element, *tag, *parent;
    Py_ssize_t first;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OUOn", names, &element, &tag, &parent, &first)) return -1;
    PyObject *other = create_frame(Py_TYPE(self), element, tag, parent, first);
    if (other == NULL) return -1;
    for (int place = 0; place < NEVER_NULL_frame; place++)
        set_field(frame_fields(self) + place, new_reference(frame_fields(other)[place]));
    Py_DECREF(other);
    return 0;
}

static int block_init(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"index", "frame", "tokens", "text", "kind", NULL};
    PyObject *fields[5];
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOUU", names, fields, fields + 1, fields + 2, fields + 3,
                                     fields + 4))
        return -1;
    for (int place = 0; place < 5; place++) set_field(block_fields(self) + place, new_reference(fields[place]));
    Block *block = (Block *)self;
    set_field(&block->words, new_reference(zero));
    set_field(&block->links, new_reference(zero));
    set_field(&block->link_words, new_reference(zero));
    set_field(&block->is_running_text, new_reference(Py_False));
    PyObject *score = PyFloat_FromDouble(0.0);
    if (score == NULL) return -1;
    set_field(&block->score, score);
    return 0;
}

/* Return whether more than a quarter of a text may be in a script without spaces between words, whose letters have three
   bytes or more. */
static int may_be_unspaced(const char *bytes, Py_ssize_t size, Py_ssize_t length) {
    if ((size - length) * 2 <= length) return 0;
    for (const char *at = bytes; at < bytes + size; at++)
        if ((unsigned char)*at >= 0xe0) return 1;
    return 0;
}

/* Return the number of words of a text with single spaces; `count_words` of Python knows scripts without spaces. */
static Py_ssize_t count_text_words(PyObject *text) {
    Py_ssize_t length = PyUnicode_GetLength(text), size, words = 1;
    if (length == 0) return 0;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (bytes == NULL) PyErr_Clear(); /* half of a surrogate pair */
    if (bytes != NULL && !may_be_unspaced(bytes, size, length)) {
        for (const char *at = bytes; (at = memchr(at, ' ', bytes + size - at)) != NULL; at++) words++;
        return words;
    }
    PyObject *answer = PyObject_CallFunctionObjArgs(count_words, text, NULL);
    words = answer == NULL ? -1 : as_number(answer);
    Py_XDECREF(answer);
    return words;
}

static int close_open_marks(Walk *walk, PyObject *tokens) {
    for (Py_ssize_t place = PyList_Size(walk->open_marks) - 1; place >= 0; place--) {
        PyObject *mark = PyList_GetItem(walk->open_marks, place);
        PyObject *name = mark == NULL ? NULL : PyTuple_GetItem(mark, 1);
        PyObject *closed = name == NULL ? NULL : PyTuple_Pack(2, close_word, name);
        int failed = closed == NULL || PyList_Append(tokens, closed) < 0;
        Py_XDECREF(closed);
        if (failed) return -1;
    }
    return 0;
}

/* Make a block of the tokens. */
static int add_block(Walk *walk, PyObject *tokens, PyObject *text, PyObject *kind) {
    if (close_open_marks(walk, tokens) < 0) return -1;
    if (!is_a(walk->frame, frame_base)) return fail_type("a frame");
    Frame *frame = (Frame *)walk->frame;
    Py_ssize_t count = count_blocks(walk), words = count_text_words(text), link_words = 0;
    if (count < 0 || words < 0) return -1;
    if (walk->link_characters && words) {
        double share = (double)walk->link_characters / (double)PyUnicode_GetLength(text);
        link_words = (Py_ssize_t)rint((double)words * (share < 1.0 ? share : 1.0)); /* half to even, as in Python */
        if (link_words > words) link_words = words;
    }
    int is_running_text = words > LINE_WORDS && link_words * 3 < words;
    PyObject *self = block_new(block_type, NULL, NULL);
    if (self == NULL) return -1;
    Block *block = (Block *)self;
    PyObject *numbers[] = {PyLong_FromSsize_t(count), PyLong_FromSsize_t(words), PyLong_FromSsize_t(walk->links),
                           PyLong_FromSsize_t(link_words), PyFloat_FromDouble(0.0)};
    PyObject **fields[] = {&block->index, &block->words, &block->links, &block->link_words, &block->score};
    int failed = 0;
    for (int place = 0; place < 5; place++) {
        failed |= numbers[place] == NULL;
        if (numbers[place] != NULL) set_field(fields[place], numbers[place]);
    }
    set_field(&block->frame, new_reference(walk->frame));
    set_field(&block->tokens, new_reference(tokens));
    set_field(&block->text, new_reference(text));
    set_field(&block->kind, new_reference(kind));
    set_field(&block->is_running_text, new_reference(is_running_text ? Py_True : Py_False));
    failed = failed || add_number(&frame->words, words) < 0 || add_number(&frame->link_words, link_words) < 0 ||
             add_number(&frame->blocks, 1) < 0 || add_number(&frame->texts, is_running_text) < 0 ||
             append_to_page(walk, name_blocks, self) < 0;
    Py_DECREF(self);
    walk->is_full = count + 1 >= MAX_BLOCKS || walk->characters > MAX_CHARACTERS;
    return failed ? -1 : 0;
}

/* Join the texts among the tokens, with a space for each line break. */
static PyObject *join_texts(PyObject *tokens) {
    PyObject *texts = PyList_New(0), *joined = NULL;
    if (texts == NULL) return NULL;
    Py_ssize_t count = PyList_Size(tokens);
    for (Py_ssize_t place = 0; place < count; place++) {
        PyObject *token = PyList_GetItem(tokens, place);
        if (token == break_token) token = space;
        if (PyUnicode_CheckExact(token) && PyList_Append(texts, token) < 0) goto done;
    }
    joined = PyList_Size(texts) == 1 ? new_reference(PyList_GetItem(texts, 0)) : PyUnicode_Join(empty, texts);
done:
    Py_DECREF(texts);
    return joined;
}

/* Return the size of the white space at the start of a text in UTF-8, 0 for other characters; as `str.isspace`. */
static int space_size(const unsigned char *at) {
    if (*at < 0x80) return *at == ' ' || (*at >= 9 && *at <= 13) || (*at >= 28 && *at <= 31);
    switch (*at) {
    case 0xc2: return at[1] == 0x85 || at[1] == 0xa0 ? 2 : 0;
    case 0xe1: return at[1] == 0x9a && at[2] == 0x80 ? 3 : 0;
    case 0xe2:
        if (at[1] == 0x81) return at[2] == 0x9f ? 3 : 0;
        return at[1] == 0x80 && (at[2] <= 0x8a || at[2] == 0xa8 || at[2] == 0xa9 || at[2] == 0xaf) ? 3 : 0;
    case 0xe3: return at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
    }
    return 0;
}

/* Return the text with its white space collapsed, as `" ".join(text.split())`. */
static PyObject *collapse_spaces(PyObject *text) {
    Py_ssize_t size;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (bytes == NULL) { /* half of a surrogate pair, unless memory is short */
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return NULL;
        PyErr_Clear();
        PyObject *parts = PyUnicode_Split(text, NULL, -1);
        PyObject *joined = parts == NULL ? NULL : PyUnicode_Join(space, parts);
        Py_XDECREF(parts);
        return joined;
    }
    char *collapsed = PyMem_Malloc(size ? size : 1), *out = collapsed;
    if (collapsed == NULL) return PyErr_NoMemory();
    int is_apart = 0; /* whether white space follows the last word */
    for (const char *at = bytes; at < bytes + size;) {
        int blank = space_size((const unsigned char *)at);
        if (blank) {
            is_apart = out > collapsed;
            at += blank;
            continue;
        }
        if (is_apart) *out++ = ' ';
        is_apart = 0;
        do *out++ = *at++;
        while (at < bytes + size && (*at & 0xc0) == 0x80); /* the rest of a character */
    }
    PyObject *result = PyUnicode_DecodeUTF8(collapsed, out - collapsed, NULL);
    PyMem_Free(collapsed);
    return result;
}

static int add_text_block(Walk *walk, PyObject *tokens) {
    PyObject *raw = join_texts(tokens);
    PyObject *text = raw == NULL ? NULL : collapse_spaces(raw);
    int failed = text == NULL;
    if (raw != NULL) walk->characters += PyUnicode_GetLength(raw);
    if (text != NULL && walk->preformatted == Py_None)
        failed = add_block(walk, tokens, text, name_text) < 0;
    else if (text != NULL && PyUnicode_GetLength(text) > 0)
        failed = add_block(walk, tokens, text, name_pre) < 0;
    Py_XDECREF(raw);
    Py_XDECREF(text);
    walk->link_characters = 0;
    return failed ? -1 : 0;
}

static int holds_image(PyObject *tokens) {
    Py_ssize_t count = PyList_Size(tokens);
    for (Py_ssize_t place = 0; place < count; place++) {
        PyObject *token = PyList_GetItem(tokens, place);
        PyObject *name = PyTuple_Check(token) ? PyTuple_GetItem(token, 0) : NULL;
        if (name != NULL && PyUnicode_CompareWithASCIIString(name, "img") == 0) return 1;
    }
    return 0;
}

/* Turn the collected tokens into a block. */
static int flush(Walk *walk) {
    PyObject *marks = PyList_GetSlice(walk->open_marks, 0, PyList_Size(walk->open_marks));
    if (marks == NULL) return -1;
    PyObject *tokens = new_reference(walk->tokens);
    set_field(&walk->tokens, marks);
    walk->breaks = 0;
    int failed = 0;
    if (walk->has_content)
        failed = add_text_block(walk, tokens);
    else if (walk->may_have_image && holds_image(tokens))
        failed = add_block(walk, tokens, empty, name_image);
    Py_DECREF(tokens);
    walk->has_content = walk->may_have_image = 0;
    walk->at_start = 1;
    walk->links = walk->links_open;
    return failed;
}

static int flush_tokens(Walk *walk) { return PyList_Size(walk->tokens) > 0 ? flush(walk) : 0; }

/* Tokens. */

static int is_space(PyObject *text) {
    Py_UCS4 first = PyUnicode_ReadChar(text, 0);
    if (first > ' ' && first < 128) return 0;
    return call_flag(PyObject_CallMethodObjArgs(text, name_isspace, NULL));
}

static int add_text(Walk *walk, PyObject *text) {
    if (walk->preformatted != Py_None) {
        walk->has_content = 1;
        int ends = call_flag(PyObject_CallMethodObjArgs(text, name_endswith, line_end, NULL));
        if (ends < 0) return -1;
        walk->at_start = ends;
        return PyList_Append(walk->tokens, text);
    }
    int blank = is_space(text);
    if (blank < 0) return -1;
    if (blank) return PyList_Size(walk->tokens) > 0 ? PyList_Append(walk->tokens, text) : 0; /* leading: insignificant */
    walk->has_content = 1;
    walk->breaks = 0;
    if (walk->links_open) walk->link_characters += PyUnicode_GetLength(text);
    return PyList_Append(walk->tokens, text);
}

/* Add the text or the tail of an element, if it is visible. */
static int add_visible(Walk *walk, PyObject *text) { return walk->is_shown && is_filled(text) ? add_text(walk, text) : 0; }

static int add_space(Walk *walk) {
    walk->at_start = 0;
    return PyList_Append(walk->tokens, space);
}

static int add_line(Walk *walk) {
    if (walk->at_start) return 0;
    walk->at_start = 1;
    return PyList_Append(walk->tokens, line_end);
}

static int add_break(Walk *walk) {
    if (walk->preformatted != Py_None) {
        walk->at_start = 1;
        return PyList_Append(walk->tokens, line_end);
    }
    if (!walk->has_content && !walk->may_have_image) return 0;
    walk->breaks++;
    return walk->breaks >= 2 ? flush(walk) : PyList_Append(walk->tokens, break_token);
}

static int set_state(Walk *walk, PyObject *state) {
    int shows = call_flag(PyObject_GetAttr(state, name_shows));
    int known = shows < 0 ? -1 : call_flag(PyObject_GetAttr(state, name_background_known));
    if (known < 0) return -1;
    walk->is_shown = shows;
    walk->background_known = known;
    set_field(&walk->state, new_reference(state));
    return 0;
}

/* Entering elements. */

static int has_rule_attribute(Walk *walk, Element *element) {
    PyObject *name, *value;
    Py_ssize_t place = 0;
    if (walk->rule_attributes == NULL || !PyDict_Check(element->attributes)) return 0;
    while (PyDict_Next(element->attributes, &place, &name, &value)) {
        int found = PySet_Contains(walk->rule_attributes, name);
        if (found) return found;
    }
    return 0;
}

/* Return whether a rule that may hide the element matches it. */
static int has_hiding_match(Walk *walk, Element *element, PyObject *name, PyObject *identity) {
    if (walk->hiding == NULL) return 0;
    PyObject *key = PyTuple_Pack(3, element->tag, name == NULL ? Py_None : name, identity == NULL ? Py_None : identity);
    PyObject *found = key == NULL ? NULL : PyDict_GetItemWithError(walk->rules, key);
    Py_XDECREF(key);
    if (found == NULL && PyErr_Occurred()) return -1;
    if (found != NULL && PyObject_Size(found) == 0) { /* looked up before */
        int tested = has_rule_attribute(walk, element);
        if (tested <= 0) return tested;
    }
    return call_flag(PyObject_CallMethodObjArgs(walk->hiding, name_has_match, element, walk->budget, NULL));
}

/* Return the state inside the element, None if it is hidden. */
static PyObject *resolve(Walk *walk, Element *element, PyObject *name) {
    PyObject *given_name = name == NULL ? Py_None : name;
    if (!walk->is_shown || walk->has_displaced)
        return PyObject_CallMethodObjArgs(walk->resolver, name_resolve, element, walk->state, given_name, NULL);
    PyObject *identity = get_attribute(element, name_id);
    if (identity == NULL && PyErr_Occurred()) return NULL;
    int matches = has_hiding_match(walk, element, name, identity);
    if (matches < 0) return NULL;
    int may_have_other_ground = walk->is_external && walk->background_known && (is_filled(name) || is_filled(identity));
    if (!matches && !(element->traits & HAS_STYLING) && !may_have_other_ground) return new_reference(walk->state);
    return PyObject_CallMethodObjArgs(walk->resolver, name_resolve_matched, element, walk->state, given_name,
                                      matches ? Py_True : Py_False, NULL);
}

/* Return what is special about a class attribute. */
static long read_class(Walk *walk, PyObject *name) {
    PyObject *known = PyDict_GetItemWithError(walk->classes, name);
    if (known != NULL) return PyLong_AsLong(known);
    return PyErr_Occurred() ? -1 : 0;
}

static int register_position(PyObject *self, long traits) {
    Frame *frame = (Frame *)self;
    if (!(traits & ITEM)) return call_nothing(PyObject_CallMethodObjArgs(self, name_register_position, NULL));
    if (!is_a(frame->parent, frame_base)) return 0;
    Frame *parent = (Frame *)frame->parent;
    if (add_number(&parent->items, 1) < 0) return -1;
    set_field(&frame->place, new_reference(parent->items));
    return 0;
}

static int is_code_container(Walk *walk, Element *element, long traits) {
    if (!(traits & CODE_CONTAINER)) return 0;
    PyObject *name = get_attribute(element, name_class);
    if (!is_filled(name)) return PyErr_Occurred() ? -1 : 0;
    long found = read_class(walk, name);
    return found < 0 ? -1 : (found & CODE_CLASS) != 0;
}

static int enter_block(Walk *walk, Element *element, PyObject *tag) {
    long traits;
    if (walk->preformatted != Py_None) {
        int failed = call_nothing(PyObject_CallMethodObjArgs((PyObject *)walk, name__enter_line, element, tag, NULL));
        return failed ? -1 : AS_LINE;
    }
    if (flush_tokens(walk) < 0 || read_traits(tag, &traits) < 0) return -1;
    Py_ssize_t count = count_blocks(walk);
    if (count < 0) return -1;
    PyObject *self = create_frame(frame_type, (PyObject *)element, tag, walk->frame, count);
    if (self == NULL) return -1;
    set_field(&walk->frame, self); /* which keeps it */
    if (append_to_page(walk, name_frames, self) < 0) return -1;
    if (PyUnicode_Compare(tag, name_li) == 0 && PyUnicode_Compare(element->tag, name_p) == 0)
        set_field(&((Frame *)self)->marker, new_reference(empty));
    int is_code = traits & PREFORMATTED ? 1 : is_code_container(walk, element, traits);
    if (is_code < 0) return -1;
    if (is_code)
        set_field(&walk->preformatted, new_reference(self));
    else if (traits & (ITEM | POSITIONED) && register_position(self, traits) < 0)
        return -1;
    return AS_BLOCK;
}

/* Enter an inline element as the block, or as the marker of an item, that it stands for; AS_INLINE if it does not. */
static int enter_by_role(Walk *walk, Element *element) {
    PyObject *tag =
        PyObject_CallMethodObjArgs((PyObject *)walk, name__find_inline_role, element, element->tag, NULL);
    if (tag == NULL) return -1;
    int how = AS_INLINE;
    if (!PyUnicode_Check(tag))
        how = fail_type("a tag");
    else if (PyUnicode_Compare(tag, name_marker) == 0)
        how = NOT_ENTERED;
    else if (PyUnicode_GetLength(tag) > 0)
        how = enter_block(walk, element, tag);
    Py_DECREF(tag);
    return how;
}

/* Return the name of the mark that an inline element sets, borrowed or None; NULL for an error. */
static PyObject *find_mark(Walk *walk, Element *element, long traits) {
    PyObject *mark;
    if (traits & STYLED && element->traits & HAS_STYLE) {
        mark = PyObject_CallMethodObjArgs((PyObject *)walk, name__find_style_mark, element, element->tag, NULL);
        if (mark == NULL) return NULL;
        PyObject *kept = mark == Py_None ? Py_None : PyDict_GetItemWithError(mark_by_tag, mark);
        Py_DECREF(mark); /* "strong" and "em" are tags, too */
        if (kept == NULL && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no mark has this name");
        return kept;
    }
    mark = PyDict_GetItemWithError(mark_by_tag, element->tag);
    return mark == NULL && !PyErr_Occurred() ? Py_None : mark;
}

static int open_mark(Walk *walk, Element *element, PyObject *mark) {
    PyObject *opened;
    if (mark == link_mark) {
        PyObject *href = get_attribute(element, name_href);
        if (href == NULL) return PyErr_Occurred() ? -1 : AS_INLINE;
        walk->links_open++;
        walk->links++;
        opened = PyTuple_Pack(3, open_word, mark, href);
    } else
        opened = PyTuple_Pack(2, open_word, mark);
    int failed = opened == NULL || PyList_Append(walk->open_marks, opened) < 0 || PyList_Append(walk->tokens, opened) < 0;
    Py_XDECREF(opened);
    return failed ? -1 : AS_MARK;
}

/* Return whether an inline element directly follows another element, so that their texts may be glued. */
static int is_joined(const Walk *walk, const Element *element, long traits) {
    if (!(traits & SEPARABLE) || !walk->has_content || !is_a(element->previous, element_base)) return 0;
    return !is_filled(((Element *)element->previous)->tail);
}

static int enter_inline(Walk *walk, Element *element, long traits) {
    int is_custom = (traits & KIND) == CUSTOM;
    if (is_joined(walk, element, traits) &&
        call_nothing(PyObject_CallMethodObjArgs((PyObject *)walk, name__separate, element, NULL)) < 0)
        return -1;
    int may_stand_for = (is_custom || traits & SPAN) && (element->traits & (HAS_ROLE | HAS_STYLE) ||
        (is_a(walk->frame, frame_base) && ((Frame *)walk->frame)->marker != Py_None));
    if (may_stand_for || traits & CITE) {
        int how = enter_by_role(walk, element);
        if (how != AS_INLINE) return how;
    }
    if (is_custom) return add_space(walk) < 0 ? -1 : AS_CUSTOM;
    PyObject *mark = find_mark(walk, element, traits);
    if (mark == NULL) return -1;
    if (mark != Py_None && PyList_Size(walk->open_marks) < MAX_OPEN_MARKS) return open_mark(walk, element, mark);
    if (!(traits & QUOTE_TAG) || !walk->is_shown) return AS_INLINE;
    return add_text(walk, opening_quote) < 0 ? -1 : AS_QUOTE;
}

static int is_skipped(Walk *walk, Element *element, long traits) {
    if (traits & BR) return add_break(walk) < 0 ? -1 : 1;
    if (!(traits & READ)) return 1;
    int read = call_flag(PyObject_CallMethodObjArgs((PyObject *)walk, name__is_read, element, element->tag, NULL));
    return read < 0 ? -1 : !read;
}

/* Return whether the element may be special by its tag or class. */
static int is_special(Walk *walk, PyObject *name, long traits) {
    if (traits & SPECIAL_TAG) return 1;
    long found = is_filled(name) ? read_class(walk, name) : 0;
    return found < 0 ? -1 : (found & SPECIAL_CLASS) != 0;
}

static int is_replaced(Walk *walk, Element *element, PyObject *state) {
    int shows = state == walk->state ? walk->is_shown : call_flag(PyObject_GetAttr(state, name_shows));
    if (shows < 1) return shows;
    return call_flag(PyObject_CallMethodObjArgs((PyObject *)walk, name__replace_special, element, element->tag, NULL));
}

static int enter_as(Walk *walk, Element *element, long traits, int special) {
    long kind = traits & KIND;
    if (walk->has_content && (kind == CUSTOM || traits & BUTTON)) {
        int is_part = call_flag(PyObject_CallMethodObjArgs((PyObject *)walk, name__join_sentence, element, NULL));
        if (is_part) return is_part < 0 ? -1 : AS_INLINE;
    }
    if (kind == INLINE || (kind == CUSTOM && element->first == Py_None)) return enter_inline(walk, element, traits);
    if (!special && !(element->traits & HAS_ROLE) && !(traits & PARAGRAPH && element->traits & HAS_STYLE))
        return enter_block(walk, element, element->tag);
    PyObject *tag = PyObject_CallMethodObjArgs((PyObject *)walk, name__find_role_tag, element, element->tag, NULL);
    if (tag == NULL) return -1;
    int how = PyUnicode_Check(tag) ? enter_block(walk, element, tag) : fail_type("a tag");
    Py_DECREF(tag);
    return how;
}

/* Enter an element in the visibility state inside it. */
static int enter_state(Walk *walk, Element *element, PyObject *name, PyObject *state, long traits) {
    int special = is_special(walk, name, traits);
    if (special < 0) return -1;
    int replaced = special ? is_replaced(walk, element, state) : 0;
    if (replaced) return replaced < 0 ? -1 : NOT_ENTERED;
    if ((traits & KIND) == ALONE) {
        PyObject *answer =
            PyObject_CallMethodObjArgs((PyObject *)walk, name__add_standalone, element, element->tag, NULL);
        return call_nothing(answer) < 0 ? -1 : NOT_ENTERED;
    }
    if (state != walk->state &&
        call_nothing(PyObject_CallMethodObjArgs((PyObject *)walk, name__change_state, element, state, NULL)) < 0)
        return -1;
    return enter_as(walk, element, traits, special);
}

/* Return how to leave the element, NOT_ENTERED if its content is not walked, -1 for an error. */
static int enter(Walk *walk, Element *element) {
    long traits;
    if (read_traits(element->tag, &traits) < 0) return -1;
    if ((traits & KIND) == SKIP) {
        int skipped = is_skipped(walk, element, traits);
        if (skipped) return skipped < 0 ? -1 : NOT_ENTERED;
    } else if ((traits & KIND) == HOLLOW) {
        int hollow = call_flag(PyObject_CallMethodObjArgs((PyObject *)walk, name__is_hollow, element, NULL));
        return hollow < 0 ? -1 : hollow ? AS_INLINE : NOT_ENTERED;
    }
    PyObject *name = get_attribute(element, name_class);
    if (name == NULL && PyErr_Occurred()) return -1;
    PyObject *state = resolve(walk, element, name);
    if (state == Py_None) set_field(&state, PyObject_CallMethodObjArgs((PyObject *)walk, name__open, element, NULL));
    if (state == NULL) return -1;
    int how;
    if (state == Py_None)
        how = call_nothing(PyObject_CallMethodObjArgs((PyObject *)walk, name__drop, element, NULL));
    else
        how = enter_state(walk, element, name, state, traits);
    Py_DECREF(state);
    return how;
}

/* Leaving elements. */

static int leave_block(Walk *walk) {
    if (flush_tokens(walk) < 0) return -1;
    if (!is_a(walk->frame, frame_base) || !is_a(((Frame *)walk->frame)->parent, frame_base)) return fail_type("a frame");
    Frame *frame = (Frame *)walk->frame, *parent = (Frame *)frame->parent;
    if (walk->frame == walk->preformatted) set_field(&walk->preformatted, new_reference(Py_None));
    Py_ssize_t count = count_blocks(walk), blocks = as_number(frame->blocks);
    PyObject *last = count < 0 ? NULL : PyLong_FromSsize_t(count);
    if (last == NULL) return -1;
    set_field(&frame->last, last);
    if (blocks && (add_number(&parent->words, as_number(frame->words)) < 0 ||
                   add_number(&parent->link_words, as_number(frame->link_words)) < 0 ||
                   add_number(&parent->blocks, blocks) < 0 || add_number(&parent->texts, as_number(frame->texts)) < 0))
        return -1;
    if (PyErr_Occurred()) return -1;
    set_field(&walk->frame, new_reference((PyObject *)parent));
    return 0;
}

static int leave_mark(Walk *walk) {
    Py_ssize_t last = PyList_Size(walk->open_marks) - 1;
    PyObject *mark = PyList_GetItem(walk->open_marks, last), *name = mark == NULL ? NULL : PyTuple_GetItem(mark, 1);
    PyObject *closed = name == NULL ? NULL : PyTuple_Pack(2, close_word, name);
    if (closed == NULL) return -1;
    if (name == link_mark) walk->links_open--;
    int failed = PySequence_DelItem(walk->open_marks, last) < 0 || PyList_Append(walk->tokens, closed) < 0;
    Py_DECREF(closed);
    return failed ? -1 : 0;
}

static int leave(Walk *walk, int how, PyObject *outer) {
    int failed = 0;
    switch (how) {
    case AS_BLOCK: failed = leave_block(walk); break;
    case AS_MARK: failed = leave_mark(walk); break;
    case AS_LINE: failed = add_line(walk); break;
    case AS_CUSTOM: failed = add_space(walk); break;
    case AS_QUOTE: failed = add_text(walk, closing_quote); break;
    }
    if (failed) return -1;
    return outer == walk->state ? 0 : set_state(walk, outer);
}

/* The loop. */

typedef struct {
    PyObject *element, *outer; /* an entered element, and the state around it */
    int how;
} Level;

typedef struct {
    Level *levels;
    size_t count, room;
} Path;

static int push(Path *path, Level level) {
    if (path->count == path->room) {
        size_t room = path->room ? 2 * path->room : 64;
        Level *larger = PyMem_Realloc(path->levels, room * sizeof *larger);
        if (larger == NULL) return PyErr_NoMemory(), -1;
        path->levels = larger;
        path->room = room;
    }
    path->levels[path->count++] = level;
    return 0;
}

static void drop(Level level) {
    Py_DECREF(level.element);
    Py_DECREF(level.outer);
}

/* Leave the elements that end here; set `*element` to the one that follows them, NULL at the end. */
static int leave_parents(Walk *walk, Path *path, PyObject **element) {
    set_field(element, NULL);
    while (path->count > 0) {
        Level level = path->levels[--path->count];
        Element *ended = (Element *)level.element;
        int failed = leave(walk, level.how, level.outer) < 0 || add_visible(walk, ended->tail) < 0;
        PyObject *following = next_element(ended->next) ? new_reference(ended->next) : NULL;
        drop(level);
        if (!failed && following != NULL && !walk->is_full) {
            *element = following;
            return 0;
        }
        Py_XDECREF(following);
        if (failed) return -1;
    }
    return 0;
}

/* Walk one element; set `*element` to the next one, NULL at the end. */
static int step(Walk *walk, Path *path, PyObject **element) {
    Element *current = (Element *)*element;
    PyObject *outer = new_reference(walk->state);
    int how = enter(walk, current), failed = how < 0;
    if (how > NOT_ENTERED) {
        failed = add_visible(walk, current->text) < 0;
        if (!failed && !walk->is_full && next_element(current->first) != NULL) {
            PyObject *first = new_reference(current->first);
            Level level = {*element, outer, how};
            *element = first;
            if (push(path, level) == 0) return 0;
            drop(level);
            return -1;
        }
        failed = failed || leave(walk, how, outer) < 0;
    }
    Py_DECREF(outer);
    if (failed || add_visible(walk, current->tail) < 0) return -1;
    if (next_element(current->next) == NULL || walk->is_full) return leave_parents(walk, path, element);
    set_field(element, new_reference(current->next));
    return 0;
}

/* Read what decides whether an element's styles have to be resolved. */
static int read_resolver(Walk *walk) {
    PyObject *hiding = PyObject_GetAttr(walk->resolver, name_hiding);
    if (hiding == NULL) return -1;
    int external = call_flag(PyObject_GetAttr(walk->resolver, name_external));
    int displaced = external < 0 ? -1 : call_flag(PyObject_GetAttr(walk->resolver, name_displaced));
    int failed = displaced < 0;
    if (!failed && hiding != Py_None) {
        set_field(&walk->hiding, new_reference(hiding));
        set_field(&walk->budget, PyObject_GetAttr(walk->resolver, name_budget));
        set_field(&walk->rules, PyObject_GetAttr(hiding, name_rules_by_element));
        set_field(&walk->rule_attributes, PyObject_GetAttr(hiding, name_attributes));
        failed = walk->budget == NULL || walk->rules == NULL || walk->rule_attributes == NULL;
        if (!failed && !PyDict_Check(walk->rules)) failed = fail_type("a dictionary of rules");
        if (!failed && PySet_Size(walk->rule_attributes) == 0) set_field(&walk->rule_attributes, NULL);
    }
    Py_DECREF(hiding);
    walk->is_external = external;
    walk->has_displaced = displaced;
    return failed ? -1 : 0;
}

static int check_fields(Walk *walk) {
    if (PyList_Check(walk->tokens) && PyList_Check(walk->open_marks) && PyDict_Check(walk->classes)) return 0;
    return fail_type("a walk with its lists");
}

static PyObject *walk_siblings(PyObject *self, PyObject *first) {
    Walk *walk = (Walk *)self;
    if (check_fields(walk) < 0 || set_state(walk, walk->state) < 0 || read_resolver(walk) < 0) return NULL;
    PyObject *element = next_element(first) ? new_reference(first) : NULL;
    Path path = {0};
    int failed = 0;
    while (element != NULL && !failed) failed = step(walk, &path, &element) < 0 || check_fields(walk) < 0;
    Py_XDECREF(element);
    while (path.count > 0) drop(path.levels[--path.count]);
    PyMem_Free(path.levels);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

/* Methods for Python. */

static int walk_init(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"resolver", "state", "page", NULL};
    PyObject *resolver, *state, *page;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO", names, &resolver, &state, &page)) return -1;
    if (block_type == NULL) return PyErr_SetString(PyExc_RuntimeError, "configure() has not been called"), -1;
    Walk *walk = (Walk *)self;
    PyObject *tokens = PyList_New(0), *marks = PyList_New(0), *classes = PyDict_New();
    if (tokens == NULL || marks == NULL || classes == NULL)
        return Py_XDECREF(tokens), Py_XDECREF(marks), Py_XDECREF(classes), -1;
    set_field(&walk->resolver, new_reference(resolver));
    set_field(&walk->page, new_reference(page));
    set_field(&walk->tokens, tokens);
    set_field(&walk->open_marks, marks);
    set_field(&walk->classes, classes);
    walk->at_start = 1;
    return set_state(walk, state);
}

static PyObject *walk_enter_body(PyObject *self, PyObject *body) {
    Walk *walk = (Walk *)self;
    if (!is_a(body, element_base)) return fail_type("an element"), NULL;
    PyObject *frame = create_frame(frame_type, body, name_body, Py_None, 0);
    if (frame == NULL) return NULL;
    set_field(&walk->frame, frame);
    if (append_to_page(walk, name_frames, frame) < 0 || add_visible(walk, ((Element *)body)->text) < 0) return NULL;
    Py_RETURN_NONE;
}

#define METHOD(name, call) \
    static PyObject *walk_##name(PyObject *self, PyObject *argument) { \
        (void)argument; \
        Walk *walk = (Walk *)self; \
        if (check_fields(walk) < 0 || (call) < 0) return NULL; \
        Py_RETURN_NONE; \
    }

static int add_mark(Walk *walk, PyObject *mark) {
    walk->has_content = 1;
    walk->breaks = 0;
    return PyList_Append(walk->tokens, mark);
}

METHOD(set, set_state(walk, argument))
METHOD(mark, add_mark(walk, argument))
METHOD(text, PyUnicode_Check(argument) ? is_filled(argument) ? add_text(walk, argument) : 0 : fail_type("a text"))
METHOD(line, add_line(walk))
METHOD(flush, flush(walk))

static PyMethodDef walk_methods[] = {
    {"walk_siblings", walk_siblings, METH_O, PyDoc_STR("Walk from the element to the end of its parent.")},
    {"enter_body", walk_enter_body, METH_O, PyDoc_STR("Begin the outermost frame, and add the text before its elements.")},
    {"_set", walk_set, METH_O, NULL},
    {"_mark", walk_mark, METH_O, NULL},
    {"_text", walk_text, METH_O, NULL},
    {"_line", walk_line, METH_NOARGS, NULL},
    {"_flush", walk_flush, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#define SLOTS(kind, methods) \
    static PyType_Slot kind##_slots[] = { \
        {Py_tp_new, kind##_new},         {Py_tp_init, kind##_init},     {Py_tp_traverse, kind##_traverse}, \
        {Py_tp_clear, kind##_clear},     {Py_tp_dealloc, kind##_dealloc}, {Py_tp_members, kind##_members}, \
        methods {0, NULL}, \
    };
#define NO_METHODS
SLOTS(frame, NO_METHODS)
SLOTS(block, NO_METHODS)
#define WALK_METHODS {Py_tp_methods, walk_methods},
SLOTS(walk, WALK_METHODS)

#define SPEC(kind, type, title) \
    static PyType_Spec kind##_spec = {"assay.html.reader._block_walk." title, sizeof(type), 0, \
                                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, kind##_slots};
SPEC(frame, Frame, "FrameFields")
SPEC(block, Block, "BlockFields")
SPEC(walk, Walk, "BlockWalk")

PyDoc_STRVAR(configure_doc, "configure(frame_type, block_type, break_token, traits_by_tag, mark_by_tag, count_words)\n\n"
                            "Set the types that a walk creates, and what it knows of tags.");

static PyObject *configure(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *frames, *blocks, *token, *traits, *marks, *counter;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!O!O", &PyType_Type, &frames, &PyType_Type, &blocks, &PyTuple_Type, &token,
                          &PyDict_Type, &traits, &PyDict_Type, &marks, &counter))
        return NULL;
    if (!PyType_IsSubtype((PyTypeObject *)frames, frame_base) || !PyType_IsSubtype((PyTypeObject *)blocks, block_base))
        return fail_type("types with FrameFields and BlockFields"), NULL;
    set_field((PyObject **)&frame_type, new_reference(frames));
    set_field((PyObject **)&block_type, new_reference(blocks));
    set_field(&break_token, new_reference(token));
    set_field(&traits_by_tag, new_reference(traits));
    set_field(&mark_by_tag, new_reference(marks));
    set_field(&count_words, new_reference(counter));
    PyObject *link = PyDict_GetItemWithError(marks, name_a);
    if (link == NULL) return PyErr_SetString(PyExc_ValueError, "mark_by_tag has links"), NULL;
    set_field(&link_mark, new_reference(link));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"configure", configure, METH_VARARGS, configure_doc}, {NULL, NULL, 0, NULL}};

static int execute(PyObject *module) {
    element_base = import_type("assay.html.parser._element_tree", "ElementFields");
    if (element_base == NULL) return -1;
#define INTERN(name) \
    if ((name_##name = PyUnicode_InternFromString(#name)) == NULL) return -1;
    NAMES(INTERN)
    static const struct {
        PyObject **place;
        const char *text;
    } TEXTS[] = {{&space, " "},       {&line_end, "\n"},        {&empty, ""},
                 {&open_word, "open"}, {&close_word, "close"}, {&opening_quote, "\xe2\x80\x9c"},
                 {&closing_quote, "\xe2\x80\x9d"}};
    for (size_t place = 0; place < sizeof TEXTS / sizeof *TEXTS; place++)
        if ((*TEXTS[place].place = PyUnicode_InternFromString(TEXTS[place].text)) == NULL) return -1;
    if ((zero = PyLong_FromLong(0)) == NULL) return -1;
    PyTypeObject *walk_base;
    return add_type(module, &frame_base, &frame_spec, "FrameFields") < 0 ||
                   add_type(module, &block_base, &block_spec, "BlockFields") < 0 ||
                   add_type(module, &walk_base, &walk_spec, "BlockWalk") < 0
               ? -1
               : 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute},
                                   {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
                                   {0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_block_walk", NULL, 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__block_walk(void) { return PyModuleDef_Init(&definition); }
