/* The tree of a page from its canonical XML, in elements whose fields other extension modules read directly.

   The compiled part of `tree_copy.py` and `html_element.py`, with the same answers. The parser writes canonical XML from
   its tree in a fraction of the time that it takes to reach each node of it: every element has a start and an end tag,
   text and the values of attributes have no `<`, `>` or quotation marks of their own, also in scripts and styles. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030D0000
#include "element_fields.h"
#include <stdint.h>
#include <string.h>

#define CACHED 4096    /* strings of a page that are kept to be used again */
#define MAX_CACHED 64  /* bytes of such a string */
#define SHARED 1024    /* attributes that are kept for elements with equal ones */
#define MAX_SHARED 96  /* bytes of their markup */

/* The fields of an element. */

#define FIRST_element tag
#define NEVER_NULL_element 8
OBJECT_TYPE(element, Element, 8)

static int name_traits(const char *name, Py_ssize_t size) {
    switch (size) {
    case 4: return memcmp(name, "role", 4) == 0 ? HAS_ROLE : 0;
    case 5:
        if (memcmp(name, "style", 5) == 0) return HAS_STYLE | HAS_STYLING;
        return memcmp(name, "color", 5) == 0 ? HAS_STYLING : 0;
    case 6: return memcmp(name, "hidden", 6) == 0 ? HAS_STYLING : 0;
    case 7: return memcmp(name, "popover", 7) == 0 || memcmp(name, "bgcolor", 7) == 0 ? HAS_STYLING : 0;
    case 8: return memcmp(name, "mathsize", 8) == 0 ? HAS_STYLING : 0;
    case 9: return memcmp(name, "mathcolor", 9) == 0 ? HAS_STYLING : 0;
    case 14: return memcmp(name, "mathbackground", 14) == 0 ? HAS_STYLING : 0;
    }
    return 0;
}

/* Link a new element behind `previous`, or as the first child where there is none. */
static void link_element(Element *element, Element *parent, Element *previous) {
    if (previous != NULL) {
        set_field(&element->previous, new_reference((PyObject *)previous));
        set_field(&previous->next, new_reference((PyObject *)element));
    } else if (parent != NULL)
        set_field(&parent->first, new_reference((PyObject *)element));
    if (parent != NULL) set_field(&element->parent, new_reference((PyObject *)parent));
}

static PyTypeObject *element_base;

static Element *as_element(PyObject *object) {
    if (object == NULL || object == Py_None) return NULL;
    if (PyObject_TypeCheck(object, element_base)) return (Element *)object;
    PyErr_SetString(PyExc_TypeError, "parent and previous are elements or None");
    return NULL;
}

static int element_init(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"tag", "attributes", "parent", "previous", NULL};
    PyObject *tag, *attributes = NULL, *parent = NULL, *previous = NULL, *name, *value;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "U|O!OO", names, &tag, &PyDict_Type, &attributes, &parent,
                                     &previous))
        return -1;
    Element *element = (Element *)self, *above = as_element(parent), *before = as_element(previous);
    if (PyErr_Occurred()) return -1;
    attributes = attributes == NULL ? PyDict_New() : new_reference(attributes);
    if (attributes == NULL) return -1;
    set_field(&element->tag, new_reference(tag));
    set_field(&element->attributes, attributes);
    Py_ssize_t place = 0, size;
    element->traits = 0;
    while (PyDict_Next(attributes, &place, &name, &value)) {
        const char *bytes = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, &size) : NULL;
        if (bytes == NULL) PyErr_Clear(); /* no name that matters here */
        else element->traits |= name_traits(bytes, size);
    }
    link_element(element, above, before);
    return 0;
}

PyDoc_STRVAR(get_doc, "get(name, default=None) -> the value of an attribute");

static PyObject *element_get(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    if (count < 1 || count > 2) return PyErr_SetString(PyExc_TypeError, "expected a name and perhaps a default"), NULL;
    PyObject *value = get_attribute((Element *)self, arguments[0]);
    if (value == NULL && PyErr_Occurred()) return NULL;
    return new_reference(value != NULL ? value : count == 2 ? arguments[1] : Py_None);
}

/* Iteration from an element over others. */

typedef Element *(*Following)(Element *element, Element *root);

typedef struct {
    PyObject_HEAD
    Element *next, *root; /* `next` is NULL at the end */
    PyObject *tags;       /* a tuple of those that are wanted; NULL or empty for any */
    Following follow;
} Iteration;

static PyTypeObject *iteration_type;

static Element *linked(PyObject *object) { return is_a(object, element_base) ? (Element *)object : NULL; }

static Element *follow_in_document(Element *element, Element *root) {
    Element *following = linked(element->first);
    while (following == NULL && element != NULL && element != root) {
        following = linked(element->next);
        element = linked(element->parent);
    }
    return following;
}

static Element *follow_to_parent(Element *element, Element *root) {
    (void)root;
    return linked(element->parent);
}

static Element *follow_to_sibling(Element *element, Element *root) {
    (void)root;
    return linked(element->next);
}

static PyObject *iterate(PyObject *root, Element *first, PyObject *tags, Following follow) {
    Iteration *iteration = (Iteration *)PyType_GenericAlloc(iteration_type, 0);
    if (iteration == NULL) return NULL;
    iteration->root = (Element *)new_reference(root);
    iteration->next = first;
    iteration->tags = tags;
    iteration->follow = follow;
    Py_XINCREF((PyObject *)first);
    Py_XINCREF(tags);
    return (PyObject *)iteration;
}

static PyObject *iteration_next(PyObject *self) {
    Iteration *iteration = (Iteration *)self;
    while (iteration->next != NULL) {
        Element *element = iteration->next;
        iteration->next = iteration->follow(element, iteration->root);
        Py_XINCREF((PyObject *)iteration->next);
        int has_tags = iteration->tags != NULL && PyTuple_Size(iteration->tags) > 0;
        int is_wanted = has_tags ? PySequence_Contains(iteration->tags, element->tag) : 1;
        if (is_wanted > 0) return (PyObject *)element;
        Py_DECREF(element);
        if (is_wanted < 0) return NULL;
    }
    return NULL;
}

static void iteration_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Iteration *iteration = (Iteration *)self;
    Py_CLEAR(iteration->next);
    Py_CLEAR(iteration->root);
    Py_CLEAR(iteration->tags);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyType_Slot iteration_slots[] = {
    {Py_tp_iter, PyObject_SelfIter}, {Py_tp_iternext, iteration_next}, {Py_tp_dealloc, iteration_dealloc}, {0, NULL}};

static PyType_Spec iteration_spec = {
    .name = "assay.html.parser._element_tree.Iteration",
    .basicsize = sizeof(Iteration),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = iteration_slots,
};

static PyObject *element_children(PyObject *self) {
    return iterate(self, linked(((Element *)self)->first), NULL, follow_to_sibling);
}

PyDoc_STRVAR(iter_doc, "iter(*tags) -> the element and its descendants in document order, all or those with one of the tags");

static PyObject *element_iter(PyObject *self, PyObject *tags) {
    return iterate(self, (Element *)self, tags, follow_in_document);
}

PyDoc_STRVAR(iterdescendants_doc, "iterdescendants(*tags) -> what `iter` yields without the element itself");

static PyObject *element_iterdescendants(PyObject *self, PyObject *tags) {
    return iterate(self, linked(((Element *)self)->first), tags, follow_in_document);
}

PyDoc_STRVAR(iterancestors_doc, "iterancestors(*tags) -> the elements around, the innermost first");

static PyObject *element_iterancestors(PyObject *self, PyObject *tags) {
    return iterate(self, linked(((Element *)self)->parent), tags, follow_to_parent);
}

static PyMethodDef element_methods[] = {
    {"get", (PyCFunction)(void (*)(void))element_get, METH_FASTCALL, get_doc},
    {"iter", element_iter, METH_VARARGS, iter_doc},
    {"iterdescendants", element_iterdescendants, METH_VARARGS, iterdescendants_doc},
    {"iterancestors", element_iterancestors, METH_VARARGS, iterancestors_doc},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef element_members[] = {
    OBJECT(Element, tag),  OBJECT(Element, attributes), OBJECT(Element, parent), OBJECT(Element, previous),
    OBJECT(Element, text), OBJECT(Element, tail),       OBJECT(Element, first),  OBJECT(Element, next),
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot element_slots[] = {
    {Py_tp_new, element_new},           {Py_tp_init, element_init},       {Py_tp_traverse, element_traverse},
    {Py_tp_clear, element_clear},       {Py_tp_dealloc, element_dealloc}, {Py_tp_members, element_members},
    {Py_tp_iter, element_children},     {Py_tp_methods, element_methods}, {0, NULL},
};

static PyType_Spec element_spec = {
    .name = "assay.html.parser._element_tree.ElementFields",
    .basicsize = sizeof(Element),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = element_slots,
};

/* The tree. */

typedef struct {
    PyObject *text;
    const char *bytes;
    Py_ssize_t key; /* twice its size, and 1 for a name */
} Cached;

typedef struct {
    PyObject *attributes;
    const char *bytes; /* their markup */
    Py_ssize_t size;
    int traits;
} Shared;

typedef struct {
    PyTypeObject *type;       /* of the elements */
    PyObject *parse_noscript; /* borrowed */
    PyObject *elements;       /* in document order */
    PyObject *markups;        /* of the noscript elements */
    PyObject *no_attributes;  /* shared by the elements without any */
    Cached cached[CACHED];    /* by the hash of their bytes */
    Shared shared[SHARED];    /* by the hash of their bytes */
    char *buffer;             /* of a text whose references are replaced */
    Py_ssize_t room, max_depth;
} Builder;

static void free_builder(Builder *builder) {
    for (int place = 0; place < CACHED; place++) Py_XDECREF(builder->cached[place].text);
    for (int place = 0; place < SHARED; place++) Py_XDECREF(builder->shared[place].attributes);
    Py_XDECREF(builder->elements);
    Py_XDECREF(builder->markups);
    Py_XDECREF(builder->no_attributes);
    PyMem_Free(builder->buffer);
    PyMem_Free(builder);
}

/* The references of canonical XML. */
static const struct {
    const char *name;
    Py_ssize_t size;
    char sign;
} REFERENCES[] = {{"&amp;", 5, '&'},  {"&lt;", 4, '<'},   {"&gt;", 4, '>'}, {"&quot;", 6, '"'},
                  {"&#x9;", 5, '\t'}, {"&#xA;", 5, '\n'}, {"&#xD;", 5, '\r'}};

static Py_ssize_t replace_references(const char *at, const char *end, char *out) {
    char *first = out;
    while (at < end) {
        const char *mark = memchr(at, '&', end - at);
        if (mark == NULL) mark = end;
        memcpy(out, at, mark - at);
        out += mark - at;
        at = mark;
        if (at == end) break;
        char sign = '&';
        Py_ssize_t size = 1;
        for (size_t place = 0; place < sizeof REFERENCES / sizeof *REFERENCES; place++)
            if (end - at >= REFERENCES[place].size && memcmp(at, REFERENCES[place].name, REFERENCES[place].size) == 0) {
                sign = REFERENCES[place].sign;
                size = REFERENCES[place].size;
                break;
            }
        *out++ = sign;
        at += size;
    }
    return out - first;
}

static PyObject *decode_text(Builder *builder, const char *at, const char *end) {
    Py_ssize_t size = end - at;
    if (memchr(at, '&', size) == NULL) return PyUnicode_DecodeUTF8(at, size, "surrogatepass");
    if (size > builder->room) {
        char *larger = PyMem_Realloc(builder->buffer, size);
        if (larger == NULL) return PyErr_NoMemory();
        builder->buffer = larger;
        builder->room = size;
    }
    return PyUnicode_DecodeUTF8(builder->buffer, replace_references(at, end, builder->buffer), "surrogatepass");
}

static uint32_t hash_bytes(const char *at, Py_ssize_t size, uint32_t hash) { /* FNV-1a */
    hash ^= 2166136261u;
    for (Py_ssize_t place = 0; place < size; place++) hash = (hash ^ (unsigned char)at[place]) * 16777619u;
    return hash ^ (hash >> 12);
}

/* Return a name, or a text like `decode_text`; one object for equal short ones, since names and classes recur. */
static PyObject *decode_cached(Builder *builder, const char *at, const char *end, int is_name) {
    Py_ssize_t size = end - at, key = 2 * size + is_name;
    if (size > MAX_CACHED) return is_name ? PyUnicode_DecodeUTF8(at, size, "surrogatepass") : decode_text(builder, at, end);
    Cached *cached = &builder->cached[hash_bytes(at, size, is_name) % CACHED];
    if (cached->text != NULL && cached->key == key && memcmp(cached->bytes, at, size) == 0)
        return new_reference(cached->text);
    PyObject *text = is_name ? PyUnicode_DecodeUTF8(at, size, "surrogatepass") : decode_text(builder, at, end);
    if (text == NULL) return NULL;
    set_field(&cached->text, new_reference(text));
    cached->bytes = at;
    cached->key = key;
    return text;
}

static int add_text(Builder *builder, PyObject **field, const char *at, const char *end) {
    PyObject *text = decode_text(builder, at, end);
    if (text != NULL && *field != Py_None) /* a processing instruction was in between */
        set_field(&text, PyUnicode_Concat(*field, text));
    if (text == NULL) return -1;
    set_field(field, text);
    return 0;
}

static const char *find(const char *at, const char *end, char sign) {
    const char *found = memchr(at, sign, end - at);
    return found == NULL ? end : found;
}

/* Read the attributes from `at` to the `>` of the start tag, at which `*next` is left. */
static PyObject *read_attributes(Builder *builder, const char *at, const char *end, const char **next, int *traits) {
    PyObject *attributes = NULL;
    while (at < end && *at == ' ') {
        const char *name = at + 1, *name_end = name < end ? find(name + 1, end, '=') : end; /* it may begin with `=` */
        const char *value = name_end + 2, *value_end = value < end ? find(value, end, '"') : end;
        if (value_end == end) break;
        at = value_end + 1;
        if (name_end - name >= 5 && memcmp(name, "xmlns", 5) == 0) continue;
        if (attributes == NULL && (attributes = PyDict_New()) == NULL) return NULL;
        PyObject *key = decode_cached(builder, name, name_end, 1);
        PyObject *text = key == NULL ? NULL : decode_cached(builder, value, value_end, 0);
        int failed = text == NULL || PyDict_SetItem(attributes, key, text) < 0;
        Py_XDECREF(key);
        Py_XDECREF(text);
        if (failed) return Py_DECREF(attributes), NULL;
        *traits |= name_traits(name, name_end - name);
    }
    if (at >= end || *at != '>') {
        Py_XDECREF(attributes);
        return PyErr_SetString(PyExc_ValueError, "the markup is not canonical XML"), NULL;
    }
    *next = at;
    return attributes == NULL ? new_reference(builder->no_attributes) : attributes;
}

/* Do the same as `read_attributes`, with one dictionary for equal short ones: those of half of the elements recur. */
static PyObject *share_attributes(Builder *builder, const char *at, const char *end, const char **next, int *traits) {
    const char *first_end = find(at, end, '>'); /* that of the tag, unless a value has one */
    Py_ssize_t size = first_end - at;
    if (size == 0 || size > MAX_SHARED) return read_attributes(builder, at, end, next, traits);
    Shared *shared = &builder->shared[hash_bytes(at, size, 0) % SHARED];
    if (shared->attributes == NULL || shared->size != size || memcmp(shared->bytes, at, size) != 0) {
        int own = 0;
        PyObject *attributes = read_attributes(builder, at, end, next, &own);
        if (attributes == NULL || *next != first_end) return *traits |= own, attributes;
        Py_XDECREF(shared->attributes);
        *shared = (Shared){attributes, at, size, own};
    }
    *next = first_end;
    *traits |= shared->traits;
    return new_reference(shared->attributes);
}

/* Append the element whose start tag is at `at` to `parent`; leave `*next` behind the tag. Return it borrowed. */
static Element *add_element(Builder *builder, Element *parent, Element *previous, const char *at, const char *end,
                            const char **next) {
    const char *name = at + 1, *name_end = name;
    while (name_end < end && *name_end != ' ' && *name_end != '>') name_end++;
    PyObject *self = element_new(builder->type, NULL, NULL);
    if (self == NULL) return NULL;
    Element *element = (Element *)self;
    PyObject *tag = decode_cached(builder, name, name_end, 1);
    PyObject *attributes = tag == NULL ? NULL : share_attributes(builder, name_end, end, next, &element->traits);
    if (tag != NULL) set_field(&element->tag, tag);
    if (attributes == NULL) return Py_DECREF(self), NULL;
    set_field(&element->attributes, attributes);
    int failed = PyList_Append(builder->elements, self) < 0;
    Py_DECREF(self);
    if (failed) return NULL;
    link_element(element, parent, previous);
    *next += 1;
    return element;
}

static int add_fragment(Builder *builder, Element *parent, Py_ssize_t depth, const char *at, const char *end);

/* Append the elements that the text of a `noscript` element has as markup. */
static int add_noscript(Builder *builder, Element *element, Py_ssize_t depth, const char *at, const char *end) {
    PyObject *text = decode_text(builder, at, end);
    PyObject *markup = text == NULL ? NULL : PyObject_CallFunctionObjArgs(builder->parse_noscript, text, NULL);
    Py_XDECREF(text);
    char *first;
    Py_ssize_t size;
    if (markup == NULL || PyBytes_AsStringAndSize(markup, &first, &size) < 0) return Py_XDECREF(markup), -1;
    int failed = PyList_Append(builder->markups, markup) < 0; /* cached strings point into it */
    Py_DECREF(markup);
    if (failed) return -1;
    const char *content = find(first, first + size, '>') + 1;
    if (content + 1 < first + size && content[0] == '<' && content[1] == '/') return 1; /* it is empty */
    return depth > builder->max_depth ? 0 : add_fragment(builder, element, depth, first, first + size);
}

/* Append what is inside the element whose start tag is at `at` to `parent`, the last of `depth` open elements.
   Return 1, 0 if the page nests too deeply, -1 for an error. */
static int add_fragment(Builder *builder, Element *parent, Py_ssize_t depth, const char *at, const char *end) {
    Element *open = parent, *last = NULL; /* the last child of `open` */
    Py_ssize_t outermost = depth;
    at = find(at, end, '>') + 1;
    while (at < end) {
        const char *next = at;
        if (*at != '<') {
            next = find(at, end, '<');
            if (add_text(builder, last == NULL ? &open->text : &last->tail, at, next) < 0) return -1;
        } else if (at[1] == '/') {
            next = find(at, end, '>') + 1;
            if (depth-- == outermost) return 1;
            last = open;
            open = (Element *)open->parent;
        } else if (at[1] == '?')
            next = find(at, end, '>') + 1; /* a processing instruction of HTML ends at its first `>` */
        else {
            last = add_element(builder, open, last, at, end, &next);
            if (last == NULL) return -1;
            while (next + 1 < end && next[0] == '<' && next[1] == '?') next = find(next, end, '>') + 1;
            if (next + 1 < end && next[0] == '<' && next[1] == '/') { /* it is empty */
                at = find(next, end, '>') + 1;
                continue;
            }
            const char *text_end = find(next, end, '<'); /* in a drawing, a noscript element has elements */
            if (*next != '<' && text_end + 1 < end && text_end[1] == '/' &&
                PyUnicode_CompareWithASCIIString(last->tag, "noscript") == 0) {
                const char *text = next;
                next = text_end;
                int whole = add_noscript(builder, last, depth + 1, text, next);
                if (whole < 1) return whole;
                at = find(next, end, '>') + 1;
                continue;
            }
            if (depth == builder->max_depth) return 0;
            depth++;
            open = last;
            last = NULL;
        }
        at = next;
    }
    return PyErr_SetString(PyExc_ValueError, "the markup is not canonical XML"), -1;
}

PyDoc_STRVAR(build_tree_doc,
             "build_tree(markup, root_type, element_type, max_depth, parse_noscript) -> (root, whether it is whole)\n\n"
             "`markup` is canonical XML of a page, `parse_noscript` returns that of a text, inside any element.");

static PyObject *build_tree(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *markup, *root_type, *element_type, *parse_noscript;
    Py_ssize_t max_depth, size;
    char *at;
    const char *next;
    if (!PyArg_ParseTuple(arguments, "SO!O!nO", &markup, &PyType_Type, &root_type, &PyType_Type, &element_type,
                          &max_depth, &parse_noscript))
        return NULL;
    if (!PyType_IsSubtype((PyTypeObject *)root_type, element_base) ||
        !PyType_IsSubtype((PyTypeObject *)element_type, element_base))
        return PyErr_SetString(PyExc_TypeError, "root and elements are of types with ElementFields"), NULL;
    if (PyBytes_AsStringAndSize(markup, &at, &size) < 0) return NULL;
    Builder *builder = PyMem_Calloc(1, sizeof *builder);
    if (builder == NULL) return PyErr_NoMemory();
    PyObject *root = NULL, *tag = NULL, *attributes = NULL, *result = NULL;
    const char *name_end = at + 1;
    int traits = 0;
    while (name_end < at + size && *name_end != ' ' && *name_end != '>') name_end++;
    builder->type = (PyTypeObject *)element_type;
    builder->parse_noscript = parse_noscript;
    builder->max_depth = max_depth;
    builder->markups = PyList_New(0);
    builder->no_attributes = PyDict_New();
    if (builder->markups == NULL || builder->no_attributes == NULL || *at != '<') goto done;
    tag = decode_cached(builder, at + 1, name_end, 1);
    if (tag == NULL) goto done;
    attributes = read_attributes(builder, name_end, at + size, &next, &traits);
    if (attributes == NULL) goto done;
    root = PyObject_CallFunctionObjArgs(root_type, tag, attributes, NULL);
    if (root == NULL) goto done;
    builder->elements = PyObject_GetAttrString(root, "elements");
    if (builder->elements == NULL) goto done;
    int whole = add_fragment(builder, (Element *)root, 1, next, at + size);
    if (whole >= 0) result = Py_BuildValue("(OO)", root, whole ? Py_True : Py_False);
done:
    if (result == NULL && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the markup is not canonical XML");
    Py_XDECREF(tag);
    Py_XDECREF(attributes);
    Py_XDECREF(root);
    free_builder(builder);
    return result;
}

PyDoc_STRVAR(unlink_elements_doc, "unlink_elements(elements): remove the links between elements, so that no cycle is left");

static PyObject *unlink_elements(PyObject *module, PyObject *elements) {
    (void)module;
    if (!PyList_Check(elements)) return PyErr_SetString(PyExc_TypeError, "elements must be a list"), NULL;
    for (Py_ssize_t place = PyList_Size(elements) - 1; place >= 0; place--) {
        PyObject *item = PyList_GetItem(elements, place);
        if (item == NULL) return NULL;
        if (!PyObject_TypeCheck(item, element_base)) return PyErr_SetString(PyExc_TypeError, "no element"), NULL;
        Element *element = (Element *)item;
        set_field(&element->parent, new_reference(Py_None));
        set_field(&element->previous, new_reference(Py_None));
        set_field(&element->first, new_reference(Py_None));
        set_field(&element->next, new_reference(Py_None));
    }
    Py_RETURN_NONE;
}

/* What is looked up in a tree. */

/* Return the element at a place of the list, borrowed. */
static Element *element_at(PyObject *elements, Py_ssize_t place) {
    PyObject *item = PyList_GetItem(elements, place);
    if (item == NULL) return NULL;
    if (PyObject_TypeCheck(item, element_base) && PyDict_Check(((Element *)item)->attributes)) return (Element *)item;
    PyErr_SetString(PyExc_TypeError, "the list has something else than elements");
    return NULL;
}

/* Append an element to the list of a name; return -1 for an error. */
static int add_to_group(PyObject *groups, PyObject *name, Element *element) {
    PyObject *group = PyDict_GetItemWithError(groups, name);
    if (group != NULL) return PyList_Append(group, (PyObject *)element);
    if (PyErr_Occurred()) return -1;
    group = Py_BuildValue("[O]", element);
    int failed = group == NULL || PyDict_SetItem(groups, name, group) < 0;
    Py_XDECREF(group);
    return failed ? -1 : 0;
}

PyDoc_STRVAR(group_by_tag_doc, "group_by_tag(elements) -> lists of the elements with the same tag, by tag");

static PyObject *group_by_tag(PyObject *module, PyObject *elements) {
    (void)module;
    if (!PyList_Check(elements)) return PyErr_SetString(PyExc_TypeError, "elements must be a list"), NULL;
    PyObject *groups = PyDict_New();
    for (Py_ssize_t place = 0; groups != NULL && place < PyList_Size(elements); place++) {
        Element *element = element_at(elements, place);
        if (element == NULL || add_to_group(groups, element->tag, element) < 0) Py_CLEAR(groups);
    }
    return groups;
}

PyDoc_STRVAR(group_by_attribute_doc, "group_by_attribute(elements) -> lists of the elements with an attribute, by its name");

static PyObject *group_by_attribute(PyObject *module, PyObject *elements) {
    (void)module;
    if (!PyList_Check(elements)) return PyErr_SetString(PyExc_TypeError, "elements must be a list"), NULL;
    PyObject *groups = PyDict_New(), *name, *value;
    for (Py_ssize_t place = 0; groups != NULL && place < PyList_Size(elements); place++) {
        Element *element = element_at(elements, place);
        Py_ssize_t at = 0;
        if (element == NULL) Py_CLEAR(groups);
        while (groups != NULL && PyDict_Next(element->attributes, &at, &name, &value))
            if (add_to_group(groups, name, element) < 0) Py_CLEAR(groups);
    }
    return groups;
}

PyDoc_STRVAR(collect_values_doc, "collect_values(elements, name) -> the set of the values of an attribute");

static PyObject *collect_values(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *elements, *name;
    if (!PyArg_ParseTuple(arguments, "O!U", &PyList_Type, &elements, &name)) return NULL;
    PyObject *values = PySet_New(NULL);
    for (Py_ssize_t place = 0; values != NULL && place < PyList_Size(elements); place++) {
        Element *element = element_at(elements, place);
        PyObject *value = element == NULL ? NULL : PyDict_GetItemWithError(element->attributes, name);
        if (value == NULL ? PyErr_Occurred() != NULL : PySet_Add(values, value) < 0) Py_CLEAR(values);
    }
    return values;
}

PyDoc_STRVAR(list_matching_doc, "list_matching(elements, name, values) -> those with one of the values of an attribute");

static PyObject *list_matching(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *elements, *name, *values;
    if (!PyArg_ParseTuple(arguments, "O!UO", &PyList_Type, &elements, &name, &values)) return NULL;
    PyObject *found = PyList_New(0);
    for (Py_ssize_t place = 0; found != NULL && place < PyList_Size(elements); place++) {
        Element *element = element_at(elements, place);
        PyObject *value = element == NULL ? NULL : PyDict_GetItemWithError(element->attributes, name);
        int matches = value != NULL ? PySequence_Contains(values, value) : PyErr_Occurred() ? -1 : 0;
        if (matches < 0 || (matches && PyList_Append(found, (PyObject *)element) < 0)) Py_CLEAR(found);
    }
    return found;
}

/* Append a text that is directly in an element, if there is one, unless the tag of the element is left out. */
static int add_text_within(PyObject *texts, PyObject *text, Element *element, PyObject *left_out) {
    if (!PyUnicode_Check(text) || PyUnicode_GetLength(text) == 0) return 0;
    int is_left_out = PySet_Contains(left_out, element->tag);
    return is_left_out != 0 ? is_left_out : PyList_Append(texts, text);
}

PyDoc_STRVAR(list_texts_doc,
             "list_texts(element, left_out) -> the texts in the element, but those directly in one of the tags `left_out`");

static PyObject *list_texts(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *root, *left_out;
    if (!PyArg_ParseTuple(arguments, "O!O!", element_base, &root, &PyFrozenSet_Type, &left_out)) return NULL;
    PyObject *texts = PyList_New(0);
    Element *element = (Element *)root, *around = NULL;
    while (texts != NULL && element != NULL) {
        int failed = add_text_within(texts, element->text, element, left_out) < 0;
        failed = failed || (around != NULL && add_text_within(texts, element->tail, around, left_out) < 0);
        if (failed) Py_CLEAR(texts);
        element = follow_in_document(element, (Element *)root);
        around = element == NULL ? NULL : linked(element->parent);
    }
    return texts;
}

static PyMethodDef methods[] = {
    {"build_tree", build_tree, METH_VARARGS, build_tree_doc},
    {"group_by_tag", group_by_tag, METH_O, group_by_tag_doc},
    {"group_by_attribute", group_by_attribute, METH_O, group_by_attribute_doc},
    {"collect_values", collect_values, METH_VARARGS, collect_values_doc},
    {"list_matching", list_matching, METH_VARARGS, list_matching_doc},
    {"list_texts", list_texts, METH_VARARGS, list_texts_doc},
    {"unlink_elements", unlink_elements, METH_O, unlink_elements_doc},
    {NULL, NULL, 0, NULL},
};

static int execute(PyObject *module) {
    element_base = (PyTypeObject *)PyType_FromModuleAndSpec(module, &element_spec, NULL);
    iteration_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &iteration_spec, NULL);
    if (element_base == NULL || iteration_type == NULL) return -1;
    return PyModule_AddObjectRef(module, "ElementFields", (PyObject *)element_base);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute},
                                   {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
                                   {0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_element_tree", NULL, 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__element_tree(void) { return PyModuleDef_Init(&definition); }
