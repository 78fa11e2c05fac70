/* The fields of an element of a page, for the extension modules that build and walk its tree. */

#ifndef ELEMENT_FIELDS_H
#define ELEMENT_FIELDS_H

#include <Python.h>

enum {
    HAS_STYLING = 1, /* an attribute that can affect visibility: style, hidden, popover, bgcolor or color */
    HAS_STYLE = 2,
    HAS_ROLE = 4,
};

typedef struct {
    PyObject_HEAD
    PyObject *tag, *attributes, *parent, *previous, *text, *tail, *first, *next; /* never NULL */
    int traits; /* HAS_… of its attributes */
} Element;

/* Put a new reference into a field. */
static inline void set_field(PyObject **field, PyObject *value) {
    PyObject *old = *field;
    *field = value;
    Py_XDECREF(old);
}

static inline PyObject *new_reference(PyObject *object) {
    Py_INCREF(object);
    return object;
}

#endif
