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

#endif
