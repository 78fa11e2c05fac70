/* The fields of an element of a page, for the extension modules that build and walk its tree. */

#ifndef ELEMENT_FIELDS_H
#define ELEMENT_FIELDS_H

#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <structmember.h>

enum {
    HAS_STYLING = 1, /* an attribute that can affect visibility: style, hidden, a colour, … */
    HAS_STYLE = 2,
    HAS_ROLE = 4,
    HAS_FILTER = 8, /* not an attribute: `names_around` is known */
};

#define FILTER_WORDS 16

typedef struct {
    PyObject_HEAD
    PyObject *tag, *attributes, *parent, *previous, *text, *tail, *first, *next; /* never NULL */
    int traits; /* HAS_… of its attributes */
    uint64_t names_around[FILTER_WORDS]; /* a Bloom filter of the names of it and its ancestors, for selectors */
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

static inline int is_filled(PyObject *text) {
    return text != NULL && PyUnicode_Check(text) && PyUnicode_GetLength(text) > 0;
}

/* What a call in Python answers, as 1 or 0; -1 for an error. */
static inline int call_flag(PyObject *answer) {
    int flag = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    return flag;
}

/* The functions of a type whose objects begin with a row of `count` fields; FIRST_kind is the first of them, and the
   first NEVER_NULL_kind are never NULL. */

#define OBJECT_TYPE(kind, structure, count) \
    static PyObject **kind##_fields(PyObject *self) { return &((structure *)self)->FIRST_##kind; } \
    static int kind##_traverse(PyObject *self, visitproc visit, void *arg) { \
        for (int place = 0; place < count; place++) Py_VISIT(kind##_fields(self)[place]); \
        Py_VISIT(Py_TYPE(self)); \
        return 0; \
    } \
    static int kind##_clear(PyObject *self) { \
        for (int place = 0; place < count; place++) \
            if (kind##_fields(self)[place] != NULL) set_field(kind##_fields(self) + place, new_reference(Py_None)); \
        return 0; \
    } \
    static void kind##_dealloc(PyObject *self) { \
        PyTypeObject *type = Py_TYPE(self); \
        PyObject_GC_UnTrack(self); \
        for (int place = 0; place < count; place++) Py_CLEAR(kind##_fields(self)[place]); \
        ((freefunc)PyType_GetSlot(type, Py_tp_free))(self); \
        Py_DECREF(type); \
    } \
    static PyObject *kind##_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) { \
        (void)arguments, (void)keywords; \
        PyObject *self = PyType_GenericAlloc(type, 0); \
        for (int place = 0; self != NULL && place < NEVER_NULL_##kind; place++) \
            kind##_fields(self)[place] = new_reference(Py_None); \
        return self; \
    }

static inline int add_type(PyObject *module, PyTypeObject **type, PyType_Spec *spec, const char *name) {
    *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *type == NULL ? -1 : PyModule_AddObjectRef(module, name, (PyObject *)*type);
}

/* A member that Python reads and sets. */
#define OBJECT(type, name) {#name, Py_T_OBJECT_EX, offsetof(type, name), 0, NULL}

#endif
