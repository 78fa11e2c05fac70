/* Gradient-boosted trees over the rows of a page: the compiled part of `block_classifier.py`, with the same answers.

   QuickScorer with a 64-bit word for each tree. Rows of a page resemble each other, so the nodes that fail for all rows
   of the page are applied once, those that fail for all of BATCH consecutive rows once for these, the others for each
   row. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030D0000
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CAPSULE "assay.html.reader._block_trees"
#define LEAVES 64
#define BATCH 8

typedef struct {
    double threshold; /* rows with a larger value lose the leaves that are not in `mask` */
    uint64_t mask;
    uint32_t tree, feature;
} Node;

typedef struct {
    Py_ssize_t tree_count, part_count, feature_count; /* the last part is shared by all rows */
    Py_ssize_t *sizes;                                /* of each part */
    Node *nodes;                                      /* by feature, then by threshold */
    uint32_t *starts;                                 /* first node of each feature, and the end of the last */
    uint8_t *steps;                                   /* quantised value of each leaf, LEAVES for each tree */
} Trees;

typedef struct {
    double *values;                     /* of all rows, then those that the rows share */
    double *least;                      /* of each feature of the rows in question */
    uint64_t *page, *batch, *row;       /* leaves that remain in each tree */
    uint32_t *page_nodes, *batch_nodes; /* for each feature, the first node that is not applied yet */
    Py_ssize_t *places;                 /* of the rows that are not None */
    long *totals;                       /* their sums */
} Scratch;

static void *allocate(size_t count, size_t size) {
    void *memory = PyMem_Calloc(count ? count : 1, size);
    if (memory == NULL) PyErr_NoMemory();
    return memory;
}

static void free_trees(Trees *trees) {
    PyMem_Free(trees->sizes);
    PyMem_Free(trees->nodes);
    PyMem_Free(trees->starts);
    PyMem_Free(trees->steps);
    PyMem_Free(trees);
}

static void free_capsule(PyObject *capsule) { free_trees(PyCapsule_GetPointer(capsule, CAPSULE)); }

static int read_sizes(Trees *trees, PyObject *parts) {
    trees->part_count = PyTuple_Size(parts);
    if (trees->part_count < 0) return -1;
    if (trees->part_count == 0) return PyErr_SetString(PyExc_ValueError, "a model has at least one part"), -1;
    trees->sizes = allocate(trees->part_count, sizeof *trees->sizes);
    if (trees->sizes == NULL) return -1;
    for (Py_ssize_t part = 0; part < trees->part_count; part++) {
        Py_ssize_t size = PyLong_AsSsize_t(PyTuple_GetItem(parts, part));
        if (size == -1 && PyErr_Occurred()) return -1;
        if (size < 0 || size > 100000) return PyErr_SetString(PyExc_ValueError, "size of a part out of range"), -1;
        trees->sizes[part] = size;
        trees->feature_count += size;
    }
    return 0;
}

/* Read [feature, threshold, first, last], and check what is used as an index. The last leaf is never excluded, so that
   each tree always has a lowest remaining leaf. */
static int read_node(const Trees *trees, PyObject *numbers, Py_ssize_t tree, Py_ssize_t leaves, Node *node) {
    if (numbers == NULL) return -1;
    if (!PyList_Check(numbers) || PyList_Size(numbers) != 4)
        return PyErr_SetString(PyExc_ValueError, "a node of a tree is a list of four numbers"), -1;
    Py_ssize_t feature = PyLong_AsSsize_t(PyList_GetItem(numbers, 0));
    double threshold = PyFloat_AsDouble(PyList_GetItem(numbers, 1));
    Py_ssize_t first = PyLong_AsSsize_t(PyList_GetItem(numbers, 2));
    Py_ssize_t last = PyLong_AsSsize_t(PyList_GetItem(numbers, 3));
    if (PyErr_Occurred()) return -1;
    if (feature < 0 || feature >= trees->feature_count || isnan(threshold) || first < 0 || first > last ||
        last >= leaves)
        return PyErr_SetString(PyExc_ValueError, "a node of a tree has a number out of range"), -1;
    *node = (Node){threshold, ~((1ULL << last) - (1ULL << first)), (uint32_t)tree, (uint32_t)feature};
    return 0;
}

static int compare_nodes(const void *one, const void *other) {
    const Node *left = one, *right = other;
    if (left->feature != right->feature) return left->feature < right->feature ? -1 : 1;
    return (left->threshold > right->threshold) - (left->threshold < right->threshold);
}

/* Read a tuple of leaf values and nodes into `nodes`, which has room for all of a tree; return their number. */
static Py_ssize_t read_tree(Trees *trees, PyObject *item, Py_ssize_t tree, Node *nodes) {
    const char *steps;
    Py_ssize_t leaves;
    PyObject *list;
    if (item == NULL) return -1;
    if (!PyTuple_Check(item)) return PyErr_SetString(PyExc_TypeError, "a tree must be a tuple"), -1;
    if (!PyArg_ParseTuple(item, "y#O!", &steps, &leaves, &PyList_Type, &list)) return -1;
    if (leaves < 1 || leaves > LEAVES)
        return PyErr_Format(PyExc_ValueError, "a tree has %zd leaves; at most %d fit", leaves, LEAVES), -1;
    Py_ssize_t count = PyList_Size(list);
    if (count >= leaves) return PyErr_SetString(PyExc_ValueError, "a tree has more nodes than its leaves allow"), -1;
    memcpy(trees->steps + tree * LEAVES, steps, leaves);
    for (Py_ssize_t place = 0; place < count; place++)
        if (read_node(trees, PyList_GetItem(list, place), tree, leaves, nodes + place) < 0) return -1;
    return count;
}

static int read_trees(Trees *trees, PyObject *items) {
    trees->tree_count = PyTuple_Size(items);
    trees->nodes = allocate(trees->tree_count, (LEAVES - 1) * sizeof(Node));
    trees->starts = allocate(trees->feature_count + 1, sizeof(uint32_t));
    trees->steps = allocate(trees->tree_count, LEAVES);
    if (trees->nodes == NULL || trees->starts == NULL || trees->steps == NULL) return -1;
    Py_ssize_t count = 0;
    for (Py_ssize_t tree = 0; tree < trees->tree_count; tree++) {
        Py_ssize_t more = read_tree(trees, PyTuple_GetItem(items, tree), tree, trees->nodes + count);
        if (more < 0) return -1;
        count += more;
    }
    qsort(trees->nodes, count, sizeof(Node), compare_nodes);
    for (Py_ssize_t place = 0; place < count; place++)
        trees->starts[trees->nodes[place].feature + 1] = (uint32_t)place + 1;
    for (Py_ssize_t feature = 0; feature < trees->feature_count; feature++)
        if (trees->starts[feature + 1] == 0) trees->starts[feature + 1] = trees->starts[feature]; /* it has no node */
    return 0;
}

PyDoc_STRVAR(build_model_doc, "build_model(parts, trees) -> the model as a capsule");

static PyObject *build_model(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *parts, *items;
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyTuple_Type, &parts, &PyTuple_Type, &items)) return NULL;
    Trees *trees = allocate(1, sizeof(Trees));
    if (trees == NULL) return NULL;
    PyObject *capsule = NULL;
    if (read_sizes(trees, parts) == 0 && read_trees(trees, items) == 0)
        capsule = PyCapsule_New(trees, CAPSULE, free_capsule);
    if (capsule == NULL) free_trees(trees);
    return capsule;
}

/* Read a number; -1.0 with an exception set if it is none. Whole numbers are read without an object for their float. */
static double read_number(PyObject *number) {
    if (!PyLong_CheckExact(number)) return PyFloat_AsDouble(number);
    int overflow;
    long long whole = PyLong_AsLongLongAndOverflow(number, &overflow);
    return overflow ? PyFloat_AsDouble(number) : (double)whole;
}

/* Copy the numbers of one part of a row. A value that is no number is below all thresholds, as in Python. */
static int copy_part(double *values, PyObject *part, Py_ssize_t size) {
    if (!PyTuple_Check(part)) return PyErr_SetString(PyExc_TypeError, "a part of a row must be a tuple"), -1;
    if (PyTuple_Size(part) != size) return PyErr_SetString(PyExc_ValueError, "a part of a row has another size"), -1;
    for (Py_ssize_t place = 0; place < size; place++) {
        double value = read_number(PyTuple_GetItem(part, place));
        if (value == -1.0 && PyErr_Occurred()) return -1;
        values[place] = isnan(value) ? -INFINITY : value;
    }
    return 0;
}

/* Copy the numbers of a row. Consecutive rows share many of their parts, whose numbers are then copied from `before`,
   the row whose numbers stand directly before `values`. */
static int copy_row(const Trees *trees, double *values, PyObject *row, PyObject *before, Py_ssize_t width) {
    if (!PyTuple_Check(row)) return PyErr_SetString(PyExc_TypeError, "a row must be a tuple or None"), -1;
    if (PyTuple_Size(row) != trees->part_count - 1)
        return PyErr_SetString(PyExc_ValueError, "a row has another number of parts"), -1;
    for (Py_ssize_t part = 0; part < trees->part_count - 1; part++) {
        PyObject *item = PyTuple_GetItem(row, part);
        if (before != NULL && item == PyTuple_GetItem(before, part))
            memcpy(values, values - width, trees->sizes[part] * sizeof(double));
        else if (copy_part(values, item, trees->sizes[part]) < 0)
            return -1;
        values += trees->sizes[part];
    }
    return 0;
}

/* Apply the nodes of a feature from `place` on whose threshold is below the value; return the first of the others. */
static inline uint32_t apply(const Trees *trees, uint64_t *leaves, Py_ssize_t feature, uint32_t place, double value) {
    const Node *nodes = trees->nodes;
    uint32_t end = trees->starts[feature + 1];
    for (; place < end && nodes[place].threshold < value; place++) leaves[nodes[place].tree] &= nodes[place].mask;
    return place;
}

/* Write the least value of each of `width` features of the rows: row by row, since a page's rows exceed the cache. */
static void find_least(double *restrict least, const double *restrict values, Py_ssize_t count, Py_ssize_t width) {
    memcpy(least, values, width * sizeof(double));
    for (Py_ssize_t row = 1; row < count; row++) {
        values += width;
        for (Py_ssize_t feature = 0; feature < width; feature++)
            least[feature] = values[feature] < least[feature] ? values[feature] : least[feature];
    }
}

static long sum_steps(const Trees *trees, const uint64_t *leaves) {
    long total = 0;
    for (Py_ssize_t tree = 0; tree < trees->tree_count; tree++)
        total += trees->steps[tree * LEAVES + __builtin_ctzll(leaves[tree])];
    return total;
}

static void apply_page(const Trees *trees, Scratch *scratch, const double *shared, Py_ssize_t count, Py_ssize_t width) {
    memset(scratch->page, 0xff, trees->tree_count * sizeof(uint64_t));
    find_least(scratch->least, scratch->values, count, width);
    for (Py_ssize_t feature = 0; feature < trees->feature_count; feature++) {
        double least = feature < width ? scratch->least[feature] : shared[feature - width];
        scratch->page_nodes[feature] = apply(trees, scratch->page, feature, trees->starts[feature], least);
    }
}

static void sum_batch(const Trees *trees, Scratch *scratch, const double *values, Py_ssize_t count, Py_ssize_t width,
                      long *totals) {
    size_t bytes = trees->tree_count * sizeof(uint64_t);
    memcpy(scratch->batch, scratch->page, bytes);
    find_least(scratch->least, values, count, width);
    for (Py_ssize_t feature = 0; feature < width; feature++)
        scratch->batch_nodes[feature] =
            apply(trees, scratch->batch, feature, scratch->page_nodes[feature], scratch->least[feature]);
    for (Py_ssize_t row = 0; row < count; row++, values += width) {
        memcpy(scratch->row, scratch->batch, bytes);
        for (Py_ssize_t feature = 0; feature < width; feature++)
            apply(trees, scratch->row, feature, scratch->batch_nodes[feature], values[feature]);
        totals[row] = sum_steps(trees, scratch->row);
    }
}

static void sum_page(const Trees *trees, Scratch *scratch, const double *shared, Py_ssize_t count, Py_ssize_t width) {
    if (count == 0) return;
    apply_page(trees, scratch, shared, count, width);
    for (Py_ssize_t first = 0; first < count; first += BATCH) {
        Py_ssize_t size = count - first < BATCH ? count - first : BATCH;
        sum_batch(trees, scratch, scratch->values + first * width, size, width, scratch->totals + first);
    }
}

static int allocate_scratch(const Trees *trees, Scratch *scratch, Py_ssize_t rows) {
    scratch->values = allocate((rows + 1) * trees->feature_count, sizeof(double));
    scratch->least = allocate(trees->feature_count, sizeof(double));
    scratch->page = allocate(3 * trees->tree_count, sizeof(uint64_t));
    scratch->page_nodes = allocate(2 * trees->feature_count, sizeof(uint32_t));
    scratch->places = allocate(rows, sizeof(Py_ssize_t));
    scratch->totals = allocate(rows, sizeof(long));
    if (PyErr_Occurred()) return -1;
    scratch->batch = scratch->page + trees->tree_count;
    scratch->row = scratch->batch + trees->tree_count;
    scratch->batch_nodes = scratch->page_nodes + trees->feature_count;
    return 0;
}

static void free_scratch(Scratch *scratch) {
    PyMem_Free(scratch->values);
    PyMem_Free(scratch->least);
    PyMem_Free(scratch->page);
    PyMem_Free(scratch->page_nodes);
    PyMem_Free(scratch->places);
    PyMem_Free(scratch->totals);
}

/* Return a list of the sums in their places, None in the others. */
static PyObject *build_list(const Scratch *scratch, Py_ssize_t length, Py_ssize_t count) {
    PyObject *sums = PyList_New(length);
    for (Py_ssize_t place = 0, row = 0; sums != NULL && place < length; place++) {
        int is_row = row < count && scratch->places[row] == place;
        PyObject *sum = is_row ? PyLong_FromLong(scratch->totals[row++]) : Py_NewRef(Py_None);
        if (sum == NULL || PyList_SetItem(sums, place, sum) < 0) Py_CLEAR(sums);
    }
    return sums;
}

static PyObject *sum_rows(const Trees *trees, Scratch *scratch, PyObject *rows, PyObject *shared) {
    Py_ssize_t length = PyList_Size(rows), last = trees->sizes[trees->part_count - 1], count = 0;
    Py_ssize_t width = trees->feature_count - last;
    PyObject *before = NULL;
    if (allocate_scratch(trees, scratch, length) < 0) return NULL;
    for (Py_ssize_t place = 0; place < length; place++) {
        PyObject *row = PyList_GetItem(rows, place);
        if (row == NULL) return NULL;
        if (row == Py_None) continue;
        if (copy_row(trees, scratch->values + width * count, row, before, width) < 0) return NULL;
        scratch->places[count++] = place;
        before = row;
    }
    double *common = scratch->values + width * count;
    if (copy_part(common, shared, last) < 0) return NULL;
    sum_page(trees, scratch, common, count, width);
    return build_list(scratch, length, count);
}

PyDoc_STRVAR(sum_leaves_doc,
             "sum_leaves(model, rows, shared) -> the sum of each row's quantised leaf values, None for None");

static PyObject *sum_leaves(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *capsule, *rows, *shared;
    if (!PyArg_ParseTuple(arguments, "OO!O", &capsule, &PyList_Type, &rows, &shared)) return NULL;
    const Trees *trees = PyCapsule_GetPointer(capsule, CAPSULE);
    if (trees == NULL) return NULL;
    Scratch scratch = {0};
    PyObject *sums = sum_rows(trees, &scratch, rows, shared);
    free_scratch(&scratch);
    return sums;
}

/* Rename a function whose arguments change: an older file then fails to import, and Python does the work. */
static PyMethodDef methods[] = {
    {"build_model", build_model, METH_VARARGS, build_model_doc},
    {"sum_leaves", sum_leaves, METH_VARARGS, sum_leaves_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_block_trees", NULL, 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__block_trees(void) { return PyModuleDef_Init(&definition); }
