/* The features of the blocks of a page that follow from its frames and from the numbers of its blocks.

   The compiled part of `block_features.py`, `block_shape.py` and `frame_contexts.py`, with the same answers to the last
   bit. What needs the words of texts comes from Python, as columns. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030D0000
#include "block_fields.h"
#include <math.h>
#include <string.h>

#define NEAR 3 /* blocks before and after */
#define WIDE 10
#define NO_H1 -999
#define NAME_COUNT 5 /* attributes that name an element */
#define FAR 9        /* levels from which a hint no longer counts */
#define MAX_NAMES 300    /* as in `frame_contexts.py` */
#define KNOWN_WORDS 4096 /* whose groups are kept */
#define MAX_WORD 24      /* letters of such a word */
#define HEADING_WORDS 12 /* as in `block_shape.py`, with the next three */
#define FAR_MARKER 99
#define MAX_SECTION 60
#define REACH 30
#define SINCE 4 /* markers of which the last one before a block counts, the next one after it, and its section */
#define UNTIL 3
#define UNDER 2
#define MARKERS (SINCE + UNTIL + UNDER)
#define TITLE_WORDS 64 /* a title with more is left to Python */
#define BEGINNING 120  /* as in `title_words.py` */

enum { RELATED = 1, COMMENTS = 2, SHARE = 4, SIGN_UP = 8, LEGAL = 16, ABOUT = 32 }; /* as in `lexical_markers.py` */

static PyTypeObject *element_base, *frame_base, *block_base;
static PyObject *class_name, *naming[NAME_COUNT], *empty, *body_name, *nav_name, *footer_name, *stop, *comma, *space;

/* What a frame passes to its blocks and to the frames in it. All objects are NULL for a frame without blocks. */
typedef struct {
    PyObject *numbers, *lineage, *within, *distances, *region, *shares;
    PyObject *hints_below, *distances_below; /* of the last frame in it */
    long depth, inside;
    char is_navigation, is_settled;
} Context;

typedef struct {
    Py_ssize_t count, words, linked;
    PyObject *numbers;
} Group;

/* The words of running text of the blocks whose frames have the same parent, and the last such block. */
typedef struct {
    Py_ssize_t words, last;
} Running;

/* The words of the page's title, and which of them begin with each sign, as bits. */
typedef struct {
    Py_ssize_t count, sizes[TITLE_WORDS];
    const char *words[TITLE_WORDS];
    uint64_t starts[128];
    PyObject *measure_share; /* borrowed */
} Title;

typedef struct {
    PyObject *frames, *blocks;                           /* lists, borrowed */
    PyObject *find_markers, *find_word, *find_traits;    /* borrowed */
    PyObject *strip_digits, *kinds;                      /* borrowed */
    PyObject *other_kind, *other_marks, *sentence_ends;  /* borrowed */
    PyObject *wordless_marks;                            /* borrowed */
    double usual_length;
    Title title;
    PyObject *traits, *traits_by_groups, *groups_by_classes, *groups_by_key; /* caches of this page */
    Context outermost, *contexts;
    Group *groups;
    Py_ssize_t group_count, frame_count, block_count, core, total;
    Py_ssize_t *words, *linked; /* of all blocks before each */
    Py_ssize_t *own_groups;
    Py_ssize_t *markers;                       /* MARKERS for each block */
    Running *running;                          /* of each parent: of none, then of each frame */
    Py_ssize_t all_running, most_running, end; /* of the page, of the parent with most, and its last block */
} Page;

/* Numbers. */

static Frame *frame_at(const Page *page, Py_ssize_t place) { return (Frame *)PyList_GetItem(page->frames, place); }

static Block *block_at(const Page *page, Py_ssize_t place) { return (Block *)PyList_GetItem(page->blocks, place); }

static Py_ssize_t number(PyObject *object) { return PyLong_AsSsize_t(object); }

static double ratio(Py_ssize_t part, Py_ssize_t whole) { return whole ? (double)part / (double)whole : 0.0; }

static double log_size(Py_ssize_t size) { return log((double)(1 + size)); }

/* A tuple of floats. */
static PyObject *pack_floats(const double *values, Py_ssize_t count) {
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t place = 0; tuple != NULL && place < count; place++) {
        PyObject *value = PyFloat_FromDouble(values[place]);
        if (value == NULL) return Py_DECREF(tuple), NULL;
        PyTuple_SetItem(tuple, place, value);
    }
    return tuple;
}

/* Append the items of one tuple, up to a count, to those of another. */
static PyObject *join_tuples(PyObject *first, PyObject *second, Py_ssize_t count) {
    PyObject *beginning = PyTuple_GetSlice(second, 0, count);
    PyObject *joined = beginning == NULL ? NULL : PySequence_Concat(first, beginning);
    Py_XDECREF(beginning);
    return joined;
}

/* Contexts. */

/* The groups of words that names match, as bits, with a table of words that have been looked up. */

typedef struct {
    char text[MAX_WORD];
    Py_ssize_t size;
    uint64_t groups;
} Word;

static Word known_words[KNOWN_WORDS];
static PyObject *words_source; /* the function that the table is of */

/* Remove all words from the table if they are of another function. */
static void choose_words(PyObject *find_word) {
    if (words_source == find_word) return;
    memset(known_words, 0, sizeof known_words);
    PyObject *before = words_source;
    words_source = new_reference(find_word);
    Py_XDECREF(before);
}

static int add_word(Page *page, const char *at, Py_ssize_t size, uint64_t *groups) {
    uint32_t hash = 2166136261u;
    for (Py_ssize_t place = 0; place < size; place++) hash = (hash ^ (unsigned char)at[place]) * 16777619u;
    Word *known = &known_words[(hash ^ (hash >> 15)) % KNOWN_WORDS];
    if (known->size == size && memcmp(known->text, at, size) == 0) return *groups |= known->groups, 0;
    PyObject *word = PyUnicode_FromStringAndSize(at, size);
    PyObject *found = word == NULL ? NULL : PyObject_CallFunctionObjArgs(page->find_word, word, NULL);
    Py_XDECREF(word);
    uint64_t bits = found == NULL ? 0 : PyLong_AsUnsignedLongLong(found);
    Py_XDECREF(found);
    if (PyErr_Occurred()) return -1;
    *groups |= bits;
    if (size <= MAX_WORD) {
        known->size = size;
        known->groups = bits;
        memcpy(known->text, at, size);
    }
    return 0;
}

static int is_lower(char sign) { return sign >= 'a' && sign <= 'z'; }

static int is_upper(char sign) { return sign >= 'A' && sign <= 'Z'; }

/* Add the groups of the words between two places, as `NAME_WORD` finds them. */
static int add_words(Page *page, const char *at, const char *end, uint64_t *groups) {
    while (end - at > 1) {
        const char *first = at++;
        if (!is_lower(*first) && !is_upper(*first)) continue;
        if (is_lower(*at))
            while (at < end && is_lower(*at)) at++;
        else if (is_upper(*first) && is_upper(*at))
            while (at < end && is_upper(*at)) at++;
        else
            continue;
        if (add_word(page, first, at - first, groups) < 0) return -1;
    }
    return 0;
}

/* Add the groups of one of the values that name an element, of which `*room` characters are read. */
static int add_names(Page *page, PyObject *value, Py_ssize_t *room, uint64_t *groups) {
    Py_ssize_t size = 0;
    PyObject *encoded = NULL;
    const char *at = PyUnicode_AsUTF8AndSize(value, &size);
    if (at == NULL) { /* half of a surrogate pair */
        PyErr_Clear();
        encoded = PyUnicode_AsEncodedString(value, "utf-8", "replace");
        at = encoded == NULL ? NULL : PyBytes_AsString(encoded);
        if (at == NULL) return Py_XDECREF(encoded), -1;
        size = PyBytes_Size(encoded);
    }
    const char *end = at, *last = at + size;
    while (end < last && *room > 0) {
        end++;
        while (end < last && (*end & 0xc0) == 0x80) end++; /* the rest of a character */
        --*room;
    }
    --*room; /* a space between two values */
    int failed = add_words(page, at, end, groups);
    Py_XDECREF(encoded);
    return failed;
}

/* Return the hints and purposes of a tag and the groups of an element's names, borrowed from the cache of the page. */
static PyObject *find_traits(Page *page, PyObject *tag, uint64_t groups) {
    PyObject *bits = PyLong_FromUnsignedLongLong(groups), *key = bits == NULL ? NULL : PyTuple_Pack(2, tag, bits);
    PyObject *found = key == NULL ? NULL : PyDict_GetItemWithError(page->traits_by_groups, key);
    if (found == NULL && !PyErr_Occurred()) {
        PyObject *traits = PyObject_CallFunctionObjArgs(page->find_traits, tag, bits, NULL);
        if (traits != NULL && PyTuple_Check(traits) && PyTuple_Size(traits) == 2 &&
            PyTuple_Check(PyTuple_GetItem(traits, 0)) && PyTuple_Check(PyTuple_GetItem(traits, 1))) {
            if (PyDict_SetItem(page->traits_by_groups, key, traits) == 0) found = traits; /* which the cache keeps */
        } else if (traits != NULL)
            fail_type("a pair of tuples");
        Py_XDECREF(traits);
    }
    Py_XDECREF(bits);
    Py_XDECREF(key);
    return found;
}

/* Return the hints and the purposes of an element, borrowed from the cache of the page. */
static PyObject *read_traits(Page *page, PyObject *element) {
    PyObject *key = PyTuple_New(NAME_COUNT + 1);
    if (key == NULL) return NULL;
    PyTuple_SetItem(key, 0, new_reference(((Element *)element)->tag));
    for (int place = 0; place < NAME_COUNT; place++) {
        PyObject *value = get_attribute((Element *)element, naming[place]);
        PyTuple_SetItem(key, place + 1, new_reference(value == NULL ? Py_None : value));
    }
    PyObject *found = PyErr_Occurred() ? NULL : PyDict_GetItemWithError(page->traits, key);
    if (found == NULL && !PyErr_Occurred()) {
        Py_ssize_t room = MAX_NAMES;
        uint64_t groups = 0;
        int failed = 0;
        for (int place = 0; place < NAME_COUNT && !failed && room > 0; place++) {
            PyObject *value = PyTuple_GetItem(key, place + 1);
            if (PyUnicode_Check(value) && PyUnicode_GetLength(value) > 0)
                failed = add_names(page, value, &room, &groups) < 0;
        }
        found = failed ? NULL : find_traits(page, ((Element *)element)->tag, groups);
        if (found != NULL && PyDict_SetItem(page->traits, key, found) < 0) found = NULL;
    }
    Py_DECREF(key);
    return found;
}

/* Return the distances to the hints, seen from an element with hints of its own in a frame. */
static PyObject *find_distances(Context *above, PyObject *hints) {
    if (above->hints_below == hints) return new_reference(above->distances_below);
    Py_ssize_t count = PyTuple_Size(above->distances);
    PyObject *distances = PyTuple_New(count);
    for (Py_ssize_t place = 0; distances != NULL && place < count; place++) {
        long distance = PyLong_AsLong(PyTuple_GetItem(above->distances, place));
        for (Py_ssize_t hint = 0; hint < PyTuple_Size(hints); hint++)
            if (PyLong_AsSsize_t(PyTuple_GetItem(hints, hint)) == place) distance = -1;
        PyObject *next = PyLong_FromLong(distance < FAR ? distance + 1 : FAR);
        if (next == NULL) return Py_DECREF(distances), NULL;
        PyTuple_SetItem(distances, place, next);
    }
    if (distances == NULL) return NULL;
    set_field(&above->hints_below, new_reference(hints));
    set_field(&above->distances_below, new_reference(distances));
    return distances;
}

/* Return the shares of the nearest containers of each purpose, for a frame that is one of `purposes`. */
static PyObject *replace_shares(PyObject *shares, PyObject *purposes, double share) {
    Py_ssize_t count = PyTuple_Size(shares);
    PyObject *own = PyFloat_FromDouble(share), *copy = PyTuple_New(count);
    if (own == NULL || copy == NULL) return Py_XDECREF(own), Py_XDECREF(copy), NULL;
    for (Py_ssize_t place = 0; place < count; place++) {
        PyObject *value = PyTuple_GetItem(shares, place);
        for (Py_ssize_t purpose = 0; purpose < PyTuple_Size(purposes); purpose++)
            if (PyLong_AsSsize_t(PyTuple_GetItem(purposes, purpose)) == place) value = own;
        PyTuple_SetItem(copy, place, new_reference(value));
    }
    Py_DECREF(own);
    return copy;
}

static PyObject *pack_region(const Page *page, PyObject *numbers, Py_ssize_t regions, Frame *frame) {
    Py_ssize_t core_words = number(frame_at(page, page->core)->words);
    double first = (double)number(frame->first) / (double)page->block_count;
    double share = (double)number(frame->words) / (double)(core_words ? core_words : 1);
    PyObject *place = PyLong_FromSsize_t(regions), *rest = pack_floats((double[]){first, share}, 2);
    PyObject *region = NULL;
    if (place != NULL && rest != NULL)
        region = PyTuple_Pack(6, PyTuple_GetItem(numbers, 0), PyTuple_GetItem(numbers, 1), PyTuple_GetItem(numbers, 2),
                              place, PyTuple_GetItem(rest, 0), PyTuple_GetItem(rest, 1));
    Py_XDECREF(place);
    Py_XDECREF(rest);
    return region;
}

static int set_lineage(Context *context, Context *above) {
    if (above->numbers == NULL) { /* the outermost frame */
        PyObject *twice = PySequence_Concat(context->numbers, context->numbers);
        context->lineage = twice == NULL ? NULL : PySequence_Concat(twice, context->numbers);
        Py_XDECREF(twice);
    } else {
        if (above->within == NULL) above->within = join_tuples(above->numbers, above->lineage, 6);
        context->lineage = above->within == NULL ? NULL : new_reference(above->within);
    }
    return context->lineage == NULL ? -1 : 0;
}

static int is_navigation(PyObject *tag) {
    return PyUnicode_Compare(tag, nav_name) == 0 || PyUnicode_Compare(tag, footer_name) == 0;
}

/* Fill the context of a frame that has blocks, in the frame or page `above`. */
static int fill_context(Page *page, Context *context, Context *above, Frame *frame, Py_ssize_t *regions) {
    Py_ssize_t words = number(frame->words), linked = number(frame->link_words);
    if (above->is_settled) return context->is_settled = 1, 0;
    int is_region = above->inside == 1;
    *regions += is_region;
    context->is_navigation = above->is_navigation || is_navigation(frame->tag);
    if (context->is_navigation && linked == words) return context->is_settled = 1, 0;
    PyObject *traits = read_traits(page, frame->element);
    if (traits == NULL) return -1;
    PyObject *hints = PyTuple_GetItem(traits, 0), *purposes = PyTuple_GetItem(traits, 1);
    double numbers[] = {log_size(words), ratio(linked, words), ratio(number(frame->texts), number(frame->blocks))};
    context->numbers = pack_floats(numbers, 3);
    if (context->numbers == NULL || set_lineage(context, above) < 0) return -1;
    context->distances = find_distances(above, hints);
    int is_container = PyTuple_Size(purposes) > 0 && PyUnicode_Compare(frame->tag, body_name) != 0;
    Py_ssize_t all_words = number(frame_at(page, 0)->words);
    context->shares = is_container
                          ? replace_shares(above->shares, purposes, (double)words / (double)(all_words ? all_words : 1))
                          : new_reference(above->shares);
    context->region = is_region ? pack_region(page, context->numbers, *regions, frame) : new_reference(above->region);
    context->depth = above->depth + 1;
    context->inside = frame->number == page->core ? 1 : above->inside ? above->inside + 1 : 0;
    return context->distances == NULL || context->shares == NULL || context->region == NULL ? -1 : 0;
}

static int build_contexts(Page *page) {
    Py_ssize_t regions = 0;
    for (Py_ssize_t place = 0; place < page->frame_count; place++) {
        Frame *frame = frame_at(page, place);
        if (number(frame->blocks) == 0) continue;
        Context *above = &page->outermost;
        if (frame->parent != Py_None) {
            Py_ssize_t outer = ((Frame *)frame->parent)->number;
            above = &page->contexts[outer];
            if (above->numbers == NULL && !above->is_settled)
                return PyErr_SetString(PyExc_ValueError, "a frame with blocks is in one without"), -1;
        }
        if (fill_context(page, &page->contexts[place], above, frame, &regions) < 0) return -1;
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* Find the smallest frame that has most of the running text. */
static int find_core(Page *page) {
    Py_ssize_t *best = PyMem_Calloc(page->frame_count, sizeof *best); /* the child with most; 0: none */
    if (best == NULL) return PyErr_NoMemory(), -1;
    for (Py_ssize_t place = 1; place < page->frame_count; place++) {
        Frame *frame = frame_at(page, place);
        Py_ssize_t texts = number(frame->texts);
        if (texts == 0 || frame->parent == Py_None) continue;
        Py_ssize_t *child = &best[((Frame *)frame->parent)->number];
        if (*child == 0 || texts > number(frame_at(page, *child)->texts)) *child = place;
    }
    page->core = 0;
    for (;;) {
        Py_ssize_t child = best[page->core];
        if (child == 0 || number(frame_at(page, child)->texts) * 10 < number(frame_at(page, page->core)->texts) * 6) break;
        page->core = child;
    }
    PyMem_Free(best);
    return PyErr_Occurred() ? -1 : 0;
}

/* Groups of blocks whose frames, and the frames around them, look alike. */

static PyObject *strip_digits(Page *page, PyObject *names) {
    if (names == Py_None) return new_reference(empty);
    return PyObject_CallFunctionObjArgs(page->strip_digits, names, NULL);
}

/* Return the number of the group with this key, a new one if there is none. */
static Py_ssize_t find_group(Page *page, PyObject *classes) {
    PyObject *names = strip_digits(page, PyTuple_GetItem(classes, 1));
    PyObject *outer_names = names == NULL ? NULL : strip_digits(page, PyTuple_GetItem(classes, 3));
    PyObject *key = outer_names == NULL ? NULL
                                        : PyTuple_Pack(4, PyTuple_GetItem(classes, 0), names,
                                                       PyTuple_GetItem(classes, 2), outer_names);
    Py_XDECREF(names);
    Py_XDECREF(outer_names);
    if (key == NULL) return -1;
    PyObject *known = PyDict_GetItemWithError(page->groups_by_key, key);
    Py_ssize_t group = -1;
    if (known != NULL)
        group = number(known);
    else if (!PyErr_Occurred()) {
        PyObject *place = PyLong_FromSsize_t(page->group_count);
        if (place != NULL && PyDict_SetItem(page->groups_by_key, key, place) == 0) group = page->group_count++;
        Py_XDECREF(place);
    }
    Py_DECREF(key);
    return group;
}

static Py_ssize_t read_group(Page *page, Frame *frame) {
    PyObject *tag = ((Element *)frame->element)->tag, *names = get_attribute((Element *)frame->element, class_name);
    PyObject *outer_tag = empty, *outer_names = NULL;
    if (frame->parent != Py_None) {
        PyObject *outer = ((Frame *)frame->parent)->element;
        outer_tag = ((Element *)outer)->tag;
        outer_names = get_attribute((Element *)outer, class_name);
    }
    if (PyErr_Occurred()) return -1;
    PyObject *classes = PyTuple_Pack(4, tag, names == NULL ? Py_None : names, outer_tag,
                                     outer_names == NULL ? Py_None : outer_names);
    if (classes == NULL) return -1;
    PyObject *known = PyDict_GetItemWithError(page->groups_by_classes, classes);
    Py_ssize_t group = known != NULL ? number(known) : PyErr_Occurred() ? -1 : find_group(page, classes);
    if (known == NULL && group >= 0) {
        PyObject *place = PyLong_FromSsize_t(group);
        if (place == NULL || PyDict_SetItem(page->groups_by_classes, classes, place) < 0) group = -1;
        Py_XDECREF(place);
    }
    Py_DECREF(classes);
    return group;
}

static int build_groups(Page *page) {
    for (Py_ssize_t place = 0; place < page->block_count; place++) {
        Block *block = block_at(page, place);
        Py_ssize_t own = read_group(page, (Frame *)block->frame);
        if (own < 0) return -1;
        page->own_groups[place] = own;
        Group *group = &page->groups[own];
        group->count++;
        group->words += page->words[place + 1] - page->words[place];
        group->linked += page->linked[place + 1] - page->linked[place];
    }
    for (Py_ssize_t place = 0; place < page->group_count; place++) {
        Group *group = &page->groups[place];
        double mean = (double)group->words / (double)group->count;
        double numbers[] = {log((double)group->count), log(1 + mean), ratio(group->linked, group->words),
                            (double)group->words / (double)page->total};
        group->numbers = pack_floats(numbers, 4);
        if (group->numbers == NULL) return -1;
    }
    return 0;
}

/* Markers: how many blocks ago, and how many blocks ahead, a short text has one; and its section. */

/* Write the distances from the last marked block on, walking from the first block or back from the last one. */
static void measure_distances(const Page *page, const long *found, long marker, int place, int is_reversed) {
    Py_ssize_t distance = FAR_MARKER;
    for (Py_ssize_t step = 0; step < page->block_count; step++) {
        Py_ssize_t at = is_reversed ? page->block_count - 1 - step : step;
        distance = found[at] & marker ? 0 : distance < FAR_MARKER ? distance + 1 : FAR_MARKER;
        page->markers[at * MARKERS + place] = distance;
    }
}

/* Write the blocks since the marker, 0 outside of its section, which the next heading of its level ends. */
static void measure_section(const Page *page, const long *found, long marker, int place) {
    Py_ssize_t start = -1, level = 0;
    for (Py_ssize_t at = 0; at < page->block_count; at++) {
        Py_ssize_t heading = number(((Frame *)block_at(page, at)->frame)->heading);
        if (found[at] & marker) {
            start = at;
            level = heading;
        } else if (heading && (!level || heading <= level))
            start = -1;
        Py_ssize_t since = start < 0 ? 0 : at - start + 1;
        page->markers[at * MARKERS + place] = since < MAX_SECTION ? since : MAX_SECTION;
    }
}

static int read_markers(const Page *page, long *found) {
    for (Py_ssize_t place = 0; place < page->block_count; place++) {
        Py_ssize_t words = page->words[place + 1] - page->words[place];
        if (words <= 0 || words > HEADING_WORDS) continue;
        PyObject *bits = PyObject_CallFunctionObjArgs(page->find_markers, block_at(page, place)->text, NULL);
        if (bits == NULL) return -1;
        found[place] = PyLong_AsLong(bits);
        Py_DECREF(bits);
    }
    return PyErr_Occurred() ? -1 : 0;
}

static int measure_markers(Page *page) {
    static const long since[SINCE] = {RELATED, SIGN_UP, LEGAL, ABOUT}, until[UNTIL] = {SHARE, ABOUT, LEGAL},
                      under[UNDER] = {RELATED, COMMENTS};
    long *found = PyMem_Calloc(page->block_count, sizeof *found);
    if (found == NULL) return PyErr_NoMemory(), -1;
    int failed = read_markers(page, found) < 0, place = 0;
    for (int each = 0; !failed && each < SINCE; each++) measure_distances(page, found, since[each], place++, 0);
    for (int each = 0; !failed && each < UNTIL; each++) measure_distances(page, found, until[each], place++, 1);
    for (int each = 0; !failed && each < UNDER; each++) measure_section(page, found, under[each], place++);
    PyMem_Free(found);
    return failed || PyErr_Occurred() ? -1 : 0;
}

static PyObject *pack_markers(const Page *page, Py_ssize_t place) {
    PyObject *tuple = PyTuple_New(MARKERS);
    for (Py_ssize_t marker = 0; tuple != NULL && marker < MARKERS; marker++) {
        PyObject *value = PyLong_FromSsize_t(page->markers[place * MARKERS + marker]);
        if (value == NULL) return Py_DECREF(tuple), NULL;
        PyTuple_SetItem(tuple, marker, value);
    }
    return tuple;
}

/* The running text of a page. */

static Running *running_beside(const Page *page, const Block *block) {
    PyObject *parent = ((Frame *)block->frame)->parent;
    return &page->running[parent == Py_None ? 0 : ((Frame *)parent)->number + 1];
}

static int is_running(const Page *page, Py_ssize_t place) { return block_at(page, place)->is_running_text == Py_True; }

static void measure_running(Page *page) {
    for (Py_ssize_t place = 0; place < page->block_count; place++) {
        if (!is_running(page, place)) continue;
        Running *beside = running_beside(page, block_at(page, place));
        beside->words += page->words[place + 1] - page->words[place];
        beside->last = place;
        page->all_running += page->words[place + 1] - page->words[place];
    }
    page->end = page->block_count;
    for (Py_ssize_t place = 0; place < page->block_count; place++) { /* of equal parents, the one with the first text */
        const Running *beside = running_beside(page, block_at(page, place));
        if (!is_running(page, place) || beside->words <= page->most_running) continue;
        page->most_running = beside->words;
        page->end = beside->last;
    }
}

static PyObject *pack_surroundings(const Page *page, Py_ssize_t place, PyObject *beginnings) {
    Py_ssize_t words = running_beside(page, block_at(page, place))->words, far = page->end - place;
    double values[] = {log_size(words), ratio(words, page->all_running)};
    PyObject *until_end = PyLong_FromSsize_t(far > REACH ? REACH : far < -REACH ? -REACH : far);
    PyObject *numbers = pack_floats(values, 2), *packed = NULL;
    if (until_end != NULL && numbers != NULL)
        packed = PyTuple_Pack(4, until_end, beginnings, PyTuple_GetItem(numbers, 0), PyTuple_GetItem(numbers, 1));
    Py_XDECREF(until_end);
    Py_XDECREF(numbers);
    return packed;
}

/* The parts of a row. */

static Py_ssize_t count_text(PyObject *text, PyObject *part) {
    return PyUnicode_Count(text, part, 0, PyUnicode_GetLength(text));
}

static char lower_sign(char sign) { return is_upper(sign) ? sign | 0x20 : sign; }

static int is_word_sign(char sign) { return is_lower(sign) || is_upper(sign) || (sign >= '0' && sign <= '9') || sign == '_'; }

static int read_title(Title *title, PyObject *words) {
    title->count = PyList_Size(words);
    for (Py_ssize_t place = 0; title->count <= TITLE_WORDS && place < title->count; place++) {
        const char *word = PyUnicode_AsUTF8AndSize(PyList_GetItem(words, place), &title->sizes[place]);
        if (word == NULL) return -1;
        title->words[place] = word;
        if (!(*word & 0x80)) title->starts[(unsigned char)*word] |= 1ULL << place; /* no other is equal to a word in ASCII */
    }
    return 0;
}

/* Return the word of the title that a word in ASCII is, as a bit; 0 if it is none. */
static uint64_t find_title_word(const Title *title, const char *word, Py_ssize_t size) {
    for (uint64_t left = title->starts[(unsigned char)lower_sign(*word)]; left; left &= left - 1) {
        int place = __builtin_ctzll(left);
        Py_ssize_t same = 0;
        if (title->sizes[place] != size) continue;
        while (same < size && lower_sign(word[same]) == title->words[place][same]) same++;
        if (same == size) return 1ULL << place;
    }
    return 0;
}

/* Return the number of title words among the first words of a text, divided by the number of these. Python does it for
   texts whose beginning has letters beyond ASCII. */
static PyObject *measure_share(const Page *page, PyObject *text) {
    if (page->title.count == 0) return PyFloat_FromDouble(0);
    Py_ssize_t size = 0, words = 0, place = 0;
    uint64_t found = 0;
    const char *at = PyUnicode_AsUTF8AndSize(text, &size);
    PyErr_Clear(); /* half of a surrogate pair */
    int is_plain = at != NULL && page->title.count <= TITLE_WORDS;
    const char *end = is_plain ? at + size : at;
    while (is_plain && at < end && place < BEGINNING) {
        const char *first = at++;
        if (is_word_sign(*first)) {
            while (at < end && at - first < BEGINNING - place && is_word_sign(*at)) at++;
            found |= find_title_word(&page->title, first, at - first);
            words++;
            place += at - first;
            continue;
        }
        if (*first & 0x80) {
            while (at < end && (*at & 0xc0) == 0x80) at++; /* the rest of a character */
            Py_UCS4 sign = PyUnicode_ReadChar(text, place);
            is_plain = PyUnicode_FindChar(page->wordless_marks, sign, 0, PyUnicode_GetLength(page->wordless_marks), 1) >= 0;
        }
        place++;
    }
    if (!is_plain) return PyObject_CallFunctionObjArgs(page->title.measure_share, text, NULL);
    return PyFloat_FromDouble((double)__builtin_popcountll(found) / (double)(words ? words : 1));
}

static PyObject *pack_text(const Page *page, Block *block, Py_ssize_t words, Py_ssize_t linked) {
    PyObject *text = block->text;
    Py_ssize_t length = PyUnicode_GetLength(text), size, count = words ? words : 1;
    double word_length = (double)length / (double)count;
    Py_ssize_t marks = count_text(text, stop) + count_text(text, comma);
    int is_ascii = PyUnicode_AsUTF8AndSize(text, &size) != NULL && size == length;
    PyErr_Clear(); /* half of a surrogate pair */
    if (!is_ascii) {
        for (Py_ssize_t place = 0; place < PyUnicode_GetLength(page->other_marks); place++) {
            PyObject *mark = PyUnicode_Substring(page->other_marks, place, place + 1);
            if (mark == NULL) return NULL;
            marks += count_text(text, mark);
            Py_DECREF(mark);
        }
        if (count > count_text(text, space) + 1) word_length = page->usual_length; /* letters that form words without spaces */
    }
    Py_UCS4 last = length ? PyUnicode_ReadChar(text, length - 1) : 0;
    int ends = length && PyUnicode_FindChar(page->sentence_ends, last, 0, PyUnicode_GetLength(page->sentence_ends), 1) >= 0;
    double values[] = {log_size(words), (double)linked / (double)count, word_length, (double)marks / (double)count};
    PyObject *numbers = pack_floats(values, 4), *share = measure_share(page, text), *packed = NULL;
    if (numbers != NULL && share != NULL)
        packed = PyTuple_Pack(6, PyTuple_GetItem(numbers, 0), PyTuple_GetItem(numbers, 1), PyTuple_GetItem(numbers, 2),
                              PyTuple_GetItem(numbers, 3), ends ? Py_True : Py_False, share);
    Py_XDECREF(numbers);
    Py_XDECREF(share);
    return packed;
}

/* The kind of a block's element, borrowed; 0 beyond the ends of the page. */
static PyObject *find_kind(const Page *page, Py_ssize_t place, PyObject *zero) {
    if (place < 0 || place >= page->block_count) return zero;
    Frame *frame = (Frame *)block_at(page, place)->frame;
    PyObject *kind = PyDict_GetItemWithError(page->kinds, ((Element *)frame->element)->tag);
    return kind != NULL ? kind : PyErr_Occurred() ? NULL : page->other_kind;
}

static PyObject *pack_kinds(const Page *page, Py_ssize_t place, const Context *context, PyObject *doubles) {
    PyObject *zero = PyLong_FromLong(0), *depth = PyLong_FromLong(context->depth);
    PyObject *inside = PyLong_FromLong(context->inside), *packed = NULL;
    PyObject *share = PyFloat_FromDouble((double)number(frame_at(page, page->core)->words) / (double)page->total);
    PyObject *own = find_kind(page, place, zero), *before = find_kind(page, place - 1, zero);
    PyObject *after = find_kind(page, place + 1, zero);
    if (zero != NULL && depth != NULL && inside != NULL && share != NULL && own != NULL && before != NULL && after != NULL)
        packed = PyTuple_Pack(7, own, before, after, depth, inside, share, doubles);
    Py_XDECREF(zero);
    Py_XDECREF(depth);
    Py_XDECREF(inside);
    Py_XDECREF(share);
    return packed;
}

static PyObject *pack_windows(const Page *page, Py_ssize_t place) {
    double values[4];
    for (int window = 0; window < 2; window++) {
        Py_ssize_t reach = window ? WIDE : NEAR, low = place < reach ? 0 : place - reach, high = place + reach + 1;
        if (high > page->block_count) high = page->block_count;
        Py_ssize_t words = page->words[high] - page->words[low];
        values[2 * window] = log(1 + (double)words / (double)(high - low));
        values[2 * window + 1] = ratio(page->linked[high] - page->linked[low], words);
    }
    return pack_floats(values, 4);
}

/* The section of a block: from the last heading before it, or from the first block, to the next one. */
typedef struct {
    Py_ssize_t first, last; /* before `last` */
    PyObject *numbers;
} Section;

static int has_heading(const Page *page, Py_ssize_t place) {
    return number(((Frame *)block_at(page, place)->frame)->heading) != 0;
}

static int enter_section(const Page *page, Section *section, Py_ssize_t place) {
    section->first = section->last = place;
    do section->last++;
    while (section->last < page->block_count && !has_heading(page, section->last));
    Py_ssize_t words = page->words[section->last] - page->words[place];
    double values[] = {log_size(words), ratio(page->linked[section->last] - page->linked[place], words)};
    PyObject *numbers = pack_floats(values, 2), *heading = ((Frame *)block_at(page, place)->frame)->heading;
    if (numbers == NULL) return -1;
    PyObject *packed = PyTuple_Pack(3, heading, PyTuple_GetItem(numbers, 0), PyTuple_GetItem(numbers, 1));
    Py_DECREF(numbers);
    set_field(&section->numbers, packed);
    return packed == NULL ? -1 : 0;
}

static Py_ssize_t find_first_h1(const Page *page) {
    for (Py_ssize_t place = 0; place < page->block_count; place++)
        if (number(((Frame *)block_at(page, place)->frame)->heading) == 1) return place;
    return -1;
}

static PyObject *pack_position(const Page *page, Py_ssize_t place, Py_ssize_t first_h1, const Section *section) {
    double values[] = {(double)place / (double)page->block_count, (double)page->words[place] / (double)page->total};
    PyObject *numbers = pack_floats(values, 2), *packed = NULL;
    PyObject *since_h1 = PyLong_FromSsize_t(first_h1 < 0 ? NO_H1 : place - first_h1);
    PyObject *since_heading = PyLong_FromSsize_t(place - section->first);
    if (numbers != NULL && since_h1 != NULL && since_heading != NULL)
        packed = PyTuple_Pack(4, PyTuple_GetItem(numbers, 0), PyTuple_GetItem(numbers, 1), since_h1, since_heading);
    Py_XDECREF(numbers);
    Py_XDECREF(since_h1);
    Py_XDECREF(since_heading);
    return packed;
}

typedef struct {
    PyObject *doubles, *beginnings, *declared; /* lists with an item for each block, borrowed */
} Columns;

/* Return the row of a block, None for links in a menu. */
static PyObject *build_row(const Page *page, const Columns *columns, Py_ssize_t place, Py_ssize_t first_h1,
                           const Section *section) {
    Block *block = block_at(page, place);
    const Context *context = &page->contexts[((Frame *)block->frame)->number];
    Py_ssize_t words = page->words[place + 1] - page->words[place], linked = page->linked[place + 1] - page->linked[place];
    if (context->is_settled || (context->is_navigation && linked == words)) return new_reference(Py_None);
    if (context->numbers == NULL) return PyErr_SetString(PyExc_ValueError, "a block is in a frame without blocks"), NULL;
    PyObject *own[] = {pack_text(page, block, words, linked),
                       pack_kinds(page, place, context, PyList_GetItem(columns->doubles, place)),
                       pack_position(page, place, first_h1, section), pack_windows(page, place),
                       pack_markers(page, place),
                       pack_surroundings(page, place, PyList_GetItem(columns->beginnings, place))};
    PyObject *row = NULL;
    if (own[0] != NULL && own[1] != NULL && own[2] != NULL && own[3] != NULL && own[4] != NULL && own[5] != NULL)
        row = PyTuple_Pack(14, own[0], own[1], context->distances, context->numbers, context->lineage, context->region,
                           own[2], section->numbers, page->groups[page->own_groups[place]].numbers, own[3], own[4],
                           own[5], PyList_GetItem(columns->declared, place), context->shares);
    for (int part = 0; part < 6; part++) Py_XDECREF(own[part]);
    return row;
}

static PyObject *pack_rows(const Page *page, const Columns *columns) {
    PyObject *rows = PyList_New(page->block_count);
    Section section = {0, 0, NULL};
    Py_ssize_t first_h1 = find_first_h1(page);
    for (Py_ssize_t place = 0; rows != NULL && place < page->block_count; place++) {
        int failed = place == section.last && enter_section(page, &section, place) < 0;
        PyObject *row = failed ? NULL : build_row(page, columns, place, first_h1, &section);
        if (row == NULL || PyErr_Occurred()) {
            Py_XDECREF(row);
            Py_CLEAR(rows);
        } else
            PyList_SetItem(rows, place, row);
    }
    Py_XDECREF(section.numbers);
    return rows;
}

/* The page. */

static int number_frames(Page *page) {
    for (Py_ssize_t place = 0; place < page->frame_count; place++) {
        PyObject *item = PyList_GetItem(page->frames, place);
        if (!is_a(item, frame_base) || !is_a(((Frame *)item)->element, element_base)) return fail_type("a frame");
        Frame *frame = (Frame *)item;
        frame->number = place;
        if (frame->parent == Py_None && place == 0) continue;
        if (!is_a(frame->parent, frame_base)) return fail_type("a frame in a frame");
        Py_ssize_t outer = ((Frame *)frame->parent)->number;
        if (outer < 0 || outer >= place || PyList_GetItem(page->frames, outer) != frame->parent)
            return PyErr_SetString(PyExc_ValueError, "a frame is listed before the one around it"), -1;
    }
    return 0;
}

static int sum_blocks(Page *page) {
    for (Py_ssize_t place = 0; place < page->block_count; place++) {
        PyObject *item = PyList_GetItem(page->blocks, place);
        if (!is_a(item, block_base) || !PyUnicode_Check(((Block *)item)->text)) return fail_type("a block");
        PyObject *holder = ((Block *)item)->frame;
        Py_ssize_t outer = is_a(holder, frame_base) ? ((Frame *)holder)->number : -1;
        if (outer < 0 || outer >= page->frame_count || PyList_GetItem(page->frames, outer) != holder)
            return PyErr_SetString(PyExc_ValueError, "a block is in a frame that is not listed"), -1;
        page->words[place + 1] = page->words[place] + number(((Block *)item)->words);
        page->linked[place + 1] = page->linked[place] + number(((Block *)item)->link_words);
    }
    page->total = page->words[page->block_count] ? page->words[page->block_count] : 1;
    return PyErr_Occurred() ? -1 : 0;
}

static int allocate_page(Page *page) {
    page->contexts = PyMem_Calloc(page->frame_count, sizeof *page->contexts);
    page->groups = PyMem_Calloc(page->block_count, sizeof *page->groups);
    page->own_groups = PyMem_Calloc(page->block_count, sizeof *page->own_groups);
    page->words = PyMem_Calloc(page->block_count + 1, sizeof *page->words);
    page->linked = PyMem_Calloc(page->block_count + 1, sizeof *page->linked);
    page->markers = PyMem_Calloc(page->block_count, MARKERS * sizeof *page->markers);
    page->running = PyMem_Calloc(page->frame_count + 1, sizeof *page->running);
    if (!page->contexts || !page->groups || !page->own_groups || !page->words || !page->linked || !page->markers ||
        !page->running)
        return PyErr_NoMemory(), -1;
    page->traits = PyDict_New();
    page->traits_by_groups = PyDict_New();
    page->groups_by_classes = PyDict_New();
    page->groups_by_key = PyDict_New();
    return page->traits && page->traits_by_groups && page->groups_by_classes && page->groups_by_key ? 0 : -1;
}

static void clear_context(Context *context) {
    PyObject *objects[] = {context->numbers, context->lineage, context->within,      context->distances,
                           context->region,  context->shares,  context->hints_below, context->distances_below};
    for (size_t place = 0; place < sizeof objects / sizeof *objects; place++) Py_XDECREF(objects[place]);
}

static void free_page(Page *page) {
    for (Py_ssize_t place = 0; page->contexts && place < page->frame_count; place++) clear_context(&page->contexts[place]);
    for (Py_ssize_t place = 0; place < page->group_count; place++) Py_XDECREF(page->groups[place].numbers);
    clear_context(&page->outermost);
    PyMem_Free(page->contexts);
    PyMem_Free(page->groups);
    PyMem_Free(page->own_groups);
    PyMem_Free(page->words);
    PyMem_Free(page->linked);
    PyMem_Free(page->markers);
    PyMem_Free(page->running);
    Py_XDECREF(page->traits);
    Py_XDECREF(page->traits_by_groups);
    Py_XDECREF(page->groups_by_classes);
    Py_XDECREF(page->groups_by_key);
}

static int check_columns(const Columns *columns, Py_ssize_t count) {
    PyObject *lists[] = {columns->doubles, columns->beginnings, columns->declared};
    for (size_t place = 0; place < sizeof lists / sizeof *lists; place++)
        if (PyList_Size(lists[place]) != count)
            return PyErr_Occurred() ? -1 : (PyErr_SetString(PyExc_ValueError, "a column has an item for each block"), -1);
    return 0;
}

PyDoc_STRVAR(measure_blocks_doc,
             "measure_blocks(frames, blocks, title, columns, starts, knowledge) -> rows, words of running text, those of the core\n\n"
             "title: its words, and measure_share(text) -> their share of the first words of a text.\n"
             "columns: doubles, blocks that begin alike and declared texts, lists with an item for each block.\n"
             "starts: hint distances, region and shares around the page.\n"
             "knowledge: find_markers(text) -> the markers of a short text as bits, find_word(word) -> the groups of a word as\n"
             "bits, find_traits(tag, groups), strip_digits(names), kinds by tag, the kind of other tags, marks beyond ASCII,\n"
             "ends of sentences, marks that are in no word, and the usual length of a word.");

static PyObject *measure_blocks(PyObject *module, PyObject *arguments) {
    (void)module;
    Page page = {0};
    Columns columns;
    PyObject *distances, *region, *shares, *title, *rows = NULL;
    if (!PyArg_ParseTuple(arguments, "O!O!(O!O)(O!O!O!)(O!O!O!)(OOOOO!OUUUd)", &PyList_Type, &page.frames, &PyList_Type,
                          &page.blocks, &PyList_Type, &title, &page.title.measure_share, &PyList_Type, &columns.doubles,
                          &PyList_Type, &columns.beginnings, &PyList_Type, &columns.declared, &PyTuple_Type, &distances,
                          &PyTuple_Type, &region, &PyTuple_Type, &shares, &page.find_markers, &page.find_word,
                          &page.find_traits, &page.strip_digits, &PyDict_Type, &page.kinds, &page.other_kind,
                          &page.other_marks, &page.sentence_ends, &page.wordless_marks, &page.usual_length))
        return NULL;
    page.frame_count = PyList_Size(page.frames);
    page.block_count = PyList_Size(page.blocks);
    if (page.block_count == 0 || page.frame_count == 0) return Py_BuildValue("[]nn", page.all_running, page.most_running);
    choose_words(page.find_word);
    page.outermost = (Context){.distances = new_reference(distances), .region = new_reference(region),
                               .shares = new_reference(shares), .depth = -1};
    if (check_columns(&columns, page.block_count) == 0 && read_title(&page.title, title) == 0 &&
        allocate_page(&page) == 0 && number_frames(&page) == 0 && sum_blocks(&page) == 0 && find_core(&page) == 0 &&
        build_contexts(&page) == 0 && build_groups(&page) == 0 && measure_markers(&page) == 0) {
        measure_running(&page);
        rows = pack_rows(&page, &columns);
    }
    free_page(&page);
    return rows == NULL ? NULL : Py_BuildValue("Nnn", rows, page.all_running, page.most_running);
}

static PyMethodDef methods[] = {{"measure_blocks", measure_blocks, METH_VARARGS, measure_blocks_doc}, {NULL, NULL, 0, NULL}};

static int execute(PyObject *module) {
    (void)module;
    element_base = import_type("assay.html.parser._element_tree", "ElementFields");
    frame_base = import_type("assay.html.reader._block_walk", "FrameFields");
    block_base = import_type("assay.html.reader._block_walk", "BlockFields");
    if (element_base == NULL || frame_base == NULL || block_base == NULL) return -1;
    static const struct {
        PyObject **place;
        const char *text;
    } TEXTS[] = {{&class_name, "class"}, {&naming[0], "class"},    {&naming[1], "id"},          {&naming[2], "role"},
                 {&empty, ""},           {&naming[3], "itemprop"}, {&naming[4], "data-testid"}, {&body_name, "body"},
                 {&nav_name, "nav"},     {&footer_name, "footer"}, {&stop, "."},                {&comma, ","},
                 {&space, " "}};
    for (size_t place = 0; place < sizeof TEXTS / sizeof *TEXTS; place++)
        if ((*TEXTS[place].place = PyUnicode_InternFromString(TEXTS[place].text)) == NULL) return -1;
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute},
                                   {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
                                   {0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_block_features", NULL, 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__block_features(void) { return PyModuleDef_Init(&definition); }
