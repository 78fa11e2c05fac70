/* The fields of frames and blocks, for the extension modules that make and measure them. */

#ifndef BLOCK_FIELDS_H
#define BLOCK_FIELDS_H

#include "../parser/element_fields.h"

typedef struct {
    PyObject_HEAD
    PyObject *element, *tag, *parent, *first, *last, *words, *link_words, *blocks, *texts, *items, *place, *nested, *rows,
        *cells, *marker, *data, *heading, *table; /* never NULL */
    Py_ssize_t number;                            /* among the frames of a page, while its features are computed */
} Frame;

typedef struct {
    PyObject_HEAD
    PyObject *index, *frame, *tokens, *text, *kind, *words, *links, *link_words, *is_running_text, *score;
} Block;

static inline int is_a(PyObject *object, PyTypeObject *type) { return PyObject_TypeCheck(object, type); }

static inline int fail_type(const char *what) { return PyErr_Format(PyExc_TypeError, "%s expected", what), -1; }

/* The value of an attribute, borrowed; NULL without an error where the element has none. */
static inline PyObject *get_attribute(Element *element, PyObject *name) {
    return PyDict_Check(element->attributes) ? PyDict_GetItemWithError(element->attributes, name) : NULL;
}

static inline PyTypeObject *import_type(const char *module_name, const char *name) {
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *type = module == NULL ? NULL : PyObject_GetAttrString(module, name);
    Py_XDECREF(module);
    return (PyTypeObject *)type;
}

#endif
