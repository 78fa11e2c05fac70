/* Which rules match an element: the compiled part of `rule_matching.py`, with the same answers.

   Rules are parsed, and pseudo-classes tested, by functions in Python. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030D0000
#include "../parser/element_fields.h"
#include <string.h>

#define MAX_CANDIDATES 60 /* as in `rule_matching.py` */

typedef struct {
    PyObject_HEAD
    PyObject *combinator, *tag, *hash, *classes, *attributes, *tests;
} Step;

typedef struct {
    PyObject_HEAD
    PyObject *steps, *matches_by_parent, *has_paint;
    uint64_t ancestor_names[FILTER_WORDS]; /* filter bits that the ancestors must have, while `has_filter` */
    char has_filter;
} Rule;

typedef struct {
    PyObject_HEAD
    PyObject *unparsed, *parsed, *attributes, *rules_by_element;
} Index;

typedef struct {
    PyObject_HEAD
    PyObject *class_sets;
    Py_ssize_t remaining;
} Budget;

static PyTypeObject *element_base, *step_base, *rule_base, *index_base, *budget_base;
static PyObject *name_class, *name_id, *any_tag, *dot, *number_sign, *no_names;

#define NAMES(use) use(parse_rules) use(split) use(lower)
#define DECLARE(name) static PyObject *name_##name;
NAMES(DECLARE)

/* Helpers. Functions that answer a question return 1 or 0, or -1 for an error. */

static int are_equal(PyObject *one, PyObject *other) {
    return one == other ? 1 : PyObject_RichCompareBool(one, other, Py_EQ);
}

/* The value of an attribute, borrowed; None where the element has none, NULL for an error. */
static PyObject *read_attribute(Element *element, PyObject *name) {
    PyObject *value = get_attribute(element, name);
    return value != NULL || PyErr_Occurred() ? value : Py_None;
}

/* The element at the other end of a link, NULL where there is none. */
static Element *linked(PyObject *link) { return is_a(link, element_base) ? (Element *)link : NULL; }

static Step *step_at(PyObject *steps, Py_ssize_t place) {
    PyObject *step = PyList_Check(steps) ? PyList_GetItem(steps, place) : NULL;
    if (step != NULL && is_a(step, step_base)) return (Step *)step;
    if (!PyErr_Occurred()) fail_type("a list of steps");
    return NULL;
}

/* The character of a combinator, -1 for an error. */
static int combinator_of(Step *step) {
    if (!PyUnicode_Check(step->combinator) || PyUnicode_GetLength(step->combinator) != 1) return fail_type("a combinator");
    return (int)PyUnicode_ReadChar(step->combinator, 0);
}

/* Matching steps. */

/* The classes of an element as a set, borrowed. */
static PyObject *class_names(Budget *budget, Element *element) {
    PyObject *name = get_attribute(element, name_class);
    if (name == NULL) return PyErr_Occurred() ? NULL : no_names;
    if (!PyDict_Check(budget->class_sets)) return fail_type("a dictionary of classes"), NULL;
    PyObject *names = PyDict_GetItemWithError(budget->class_sets, name);
    if (names != NULL || PyErr_Occurred()) return names;
    PyObject *words = PyObject_CallMethodObjArgs(name, name_split, NULL);
    names = words == NULL ? NULL : PyFrozenSet_New(words);
    Py_XDECREF(words);
    int failed = names == NULL || PyDict_SetItem(budget->class_sets, name, names) < 0;
    Py_XDECREF(names); /* the dictionary has it */
    return failed ? NULL : names;
}

/* Return whether an element has the tag, classes and id of the step. */
static int may_match(Step *step, Element *element, Budget *budget) {
    if (is_filled(step->tag)) {
        int equal = are_equal(step->tag, element->tag);
        if (equal <= 0) return equal;
    }
    if (!PySet_Check(step->classes)) return fail_type("a set of classes");
    if (PySet_Size(step->classes) > 0) {
        PyObject *names = class_names(budget, element);
        int has_all = names == NULL ? -1 : PyObject_RichCompareBool(step->classes, names, Py_LE);
        if (has_all <= 0) return has_all;
    }
    if (!is_filled(step->hash)) return 1;
    PyObject *identity = read_attribute(element, name_id);
    return identity == NULL ? -1 : are_equal(step->hash, identity);
}

static int has_details(Step *step) {
    if (!PyList_Check(step->attributes) || !PyList_Check(step->tests)) return fail_type("lists of attributes and tests");
    return PyList_Size(step->attributes) > 0 || PyList_Size(step->tests) > 0;
}

/* Return whether the value of an attribute is as the operator demands. */
static int compare_values(PyObject *actual, int operator, PyObject *value) {
    Py_ssize_t size = PyUnicode_GetLength(value), actual_size = PyUnicode_GetLength(actual);
    if (size < 0 || actual_size < 0) return -1;
    switch (operator) {
    case 0: return 1;
    case '=': return are_equal(actual, value);
    case '^': return size == 0 ? 0 : (int)PyUnicode_Tailmatch(actual, value, 0, actual_size, -1);
    case '$': return size == 0 ? 0 : (int)PyUnicode_Tailmatch(actual, value, 0, actual_size, 1);
    case '*': return size == 0 ? 0 : PyUnicode_Contains(actual, value);
    case '~': {
        PyObject *words = PyObject_CallMethodObjArgs(actual, name_split, NULL);
        int found = words == NULL ? -1 : PySequence_Contains(words, value);
        Py_XDECREF(words);
        return found;
    }
    }
    int begins = actual_size < size ? 0 : (int)PyUnicode_Tailmatch(actual, value, 0, actual_size, -1);
    if (begins <= 0 || actual_size == size) return begins;
    return PyUnicode_ReadChar(actual, size) == '-';
}

static int match_attribute(PyObject *wanted, Element *element) {
    if (!PyTuple_Check(wanted) || PyTuple_Size(wanted) != 3) return fail_type("a name, an operator and a value");
    PyObject *operator = PyTuple_GetItem(wanted, 1), *value = PyTuple_GetItem(wanted, 2);
    PyObject *actual = get_attribute(element, PyTuple_GetItem(wanted, 0));
    if (actual == NULL) return PyErr_Occurred() ? -1 : 0;
    if (!PyUnicode_Check(operator) || !PyUnicode_Check(value)) return fail_type("an operator and a value");
    Py_ssize_t size = PyUnicode_GetLength(operator);
    int first = size == 0 ? 0 : (int)PyUnicode_ReadChar(operator, 0);
    if (size == 0 || PyUnicode_ReadChar(operator, size - 1) != 'i') return compare_values(actual, first, value);
    PyObject *lowered = PyObject_CallMethodObjArgs(actual, name_lower, NULL); /* compared without regard to case */
    int matches = lowered == NULL ? -1 : compare_values(lowered, first, value);
    Py_XDECREF(lowered);
    return matches;
}

/* Return whether the attribute selectors and pseudo-classes match. */
static int match_details(Step *step, Element *element, Budget *budget) {
    for (Py_ssize_t place = 0; place < PyList_Size(step->attributes); place++) {
        int matches = match_attribute(PyList_GetItem(step->attributes, place), element);
        if (matches <= 0) return matches;
    }
    if (budget->remaining <= 0) return 0;
    for (Py_ssize_t place = 0; place < PyList_Size(step->tests); place++) {
        PyObject *test = PyList_GetItem(step->tests, place);
        int matches = call_flag(PyObject_CallFunctionObjArgs(test, (PyObject *)element, (PyObject *)budget, NULL));
        if (matches <= 0) return matches;
    }
    return 1;
}

static int match_step(Step *step, Element *element, Budget *budget) {
    budget->remaining--;
    int matches = may_match(step, element, budget);
    if (matches <= 0) return matches;
    int details = has_details(step);
    if (details) return details < 0 ? -1 : match_details(step, element, budget);
    return budget->remaining > 0;
}

/* Return whether the elements around `element`, which matches the step at `place`, match the steps before it. Each of
   several candidates for a step is tried in turn. */
static int match_preceding(PyObject *steps, Py_ssize_t place, Element *element, Budget *budget) {
    if (place == 0) return 1;
    Step *last = step_at(steps, place), *step = step_at(steps, place - 1);
    int combinator = last == NULL || step == NULL ? -1 : combinator_of(last);
    if (combinator < 0) return -1;
    int candidates = combinator == '>' || combinator == '+' ? 1 : MAX_CANDIDATES;
    while (candidates-- > 0) {
        element = linked(combinator == '+' || combinator == '~' ? element->previous : element->parent);
        if (element == NULL || budget->remaining <= 0) return 0;
        int matches = match_step(step, element, budget);
        if (matches > 0) matches = match_preceding(steps, place - 1, element, budget);
        if (matches != 0) return matches;
    }
    return 0;
}

/* Matching rules. */

/* Return what is known of a parent; -2 for nothing. */
static int known_match(Rule *rule, PyObject *parent) {
    if (!PyDict_Check(rule->matches_by_parent)) return fail_type("a dictionary of matches");
    PyObject *found = PyDict_GetItemWithError(rule->matches_by_parent, parent);
    return found != NULL ? found == Py_True : PyErr_Occurred() ? -1 : -2;
}

static int keep_match(Rule *rule, PyObject *parent, int found) {
    return PyDict_SetItem(rule->matches_by_parent, parent, found ? Py_True : Py_False) < 0 ? -1 : found;
}

/* Return whether the parent or an ancestor matches the only preceding step; kept along the path. */
static int has_matching_ancestor(Rule *rule, Step *step, PyObject *parent, Budget *budget) {
    Element *passed[MAX_CANDIDATES], *current = linked(parent);
    int count = 0, found = 0;
    while (current != NULL && found == 0 && count < MAX_CANDIDATES) {
        int known = known_match(rule, (PyObject *)current);
        if (known != -2) {
            found = known;
            break;
        }
        passed[count++] = current;
        found = match_step(step, current, budget);
        current = linked(current->parent);
    }
    for (int place = 0; place < count && found >= 0; place++) found = keep_match(rule, (PyObject *)passed[place], found);
    return found;
}

/* Return whether the rule matches an element that has the names of its last step, among the names around it. */
static int match_rule(Rule *rule, Element *element, Budget *budget) {
    PyObject *steps = rule->steps, *parent = element->parent;
    Py_ssize_t count = PyList_Check(steps) ? PyList_Size(steps) : 0;
    Step *last = step_at(steps, count - 1);
    int known = last == NULL ? -1 : known_match(rule, parent);
    if (known == 0 || known == -1) return known;
    int details = has_details(last), matches = details > 0 ? match_details(last, element, budget) : details == 0;
    if (details < 0 || matches <= 0) return details < 0 ? -1 : matches;
    if (known == 1 || count == 1) return 1;
    int combinator = combinator_of(last);
    if (combinator < 0) return -1;
    if (combinator == '+' || combinator == '~') return match_preceding(steps, count - 1, element, budget);
    if (count == 2 && combinator != '>') {
        Step *first = step_at(steps, 0);
        int found = first == NULL ? -1 : has_matching_ancestor(rule, first, parent, budget);
        return found < 0 ? -1 : keep_match(rule, parent, found);
    }
    int found = match_preceding(steps, count - 1, element, budget);
    return found < 0 ? -1 : keep_match(rule, parent, found);
}

/* The filter, by the CRC-32 of names as in zlib. Tags, classes and ids have different bits of it. */

enum { TAG = 0, CLASS = 8, ID = 16 };

static uint32_t crc_table[256];

static void fill_crc_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
        crc_table[byte] = crc;
    }
}

static int add_bit(uint64_t *bits, PyObject *name, int kind) {
    Py_ssize_t size = 0;
    const char *at = PyUnicode_AsUTF8AndSize(name, &size);
    if (at == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
        PyErr_Clear(); /* half of a surrogate pair: the first bit of its kind */
        size = 0;
    }
    uint32_t crc = 0xffffffff;
    for (Py_ssize_t place = 0; place < size; place++) crc = crc >> 8 ^ crc_table[(crc ^ (unsigned char)at[place]) & 255];
    int bit = (int)(~crc >> kind) & (64 * FILTER_WORDS - 1);
    bits[bit / 64] |= (uint64_t)1 << bit % 64;
    return 0;
}

static int add_class_bits(uint64_t *bits, PyObject *names) {
    if (PySet_Size(names) <= 0) return PyErr_Occurred() ? -1 : 0;
    PyObject *words = PyObject_GetIter(names), *word;
    int failed = words == NULL;
    while (!failed && (word = PyIter_Next(words)) != NULL) {
        failed = add_bit(bits, word, CLASS) < 0;
        Py_DECREF(word);
    }
    Py_XDECREF(words);
    return failed || PyErr_Occurred() ? -1 : 0;
}

/* Find the bits of an element and its ancestors. */
static int find_names_around(Element *element, Budget *budget) {
    if (element->traits & HAS_FILTER) return 0;
    Element *parent = linked(element->parent);
    uint64_t *bits = element->names_around;
    if (parent != NULL) {
        if (find_names_around(parent, budget) < 0) return -1;
        memcpy(bits, parent->names_around, sizeof element->names_around);
    }
    PyObject *names = class_names(budget, element), *identity = names == NULL ? NULL : read_attribute(element, name_id);
    if (identity == NULL || add_bit(bits, element->tag, TAG) < 0 || add_class_bits(bits, names) < 0 ||
        (is_filled(identity) && add_bit(bits, identity, ID) < 0))
        return -1;
    element->traits |= HAS_FILTER;
    return 0;
}

/* Find the bits of a rule: of all steps before the last, none where one of them is beside the next. */
static int find_ancestor_names(Rule *rule) {
    PyObject *steps = rule->steps;
    uint64_t bits[FILTER_WORDS] = {0};
    Py_ssize_t last = PyList_Check(steps) ? PyList_Size(steps) - 1 : -1;
    rule->has_filter = 1;
    for (Py_ssize_t place = 0; place < last; place++) {
        Step *step = step_at(steps, place), *next = step_at(steps, place + 1);
        int combinator = step == NULL || next == NULL ? -1 : combinator_of(next);
        if (combinator == '+' || combinator == '~') return 0;
        if (combinator < 0 || (is_filled(step->tag) && add_bit(bits, step->tag, TAG) < 0) ||
            !PyAnySet_Check(step->classes) || add_class_bits(bits, step->classes) < 0 ||
            (is_filled(step->hash) && add_bit(bits, step->hash, ID) < 0))
            return PyErr_Occurred() ? -1 : fail_type("a set of classes");
    }
    memcpy(rule->ancestor_names, bits, sizeof bits);
    return 0;
}

/* Return whether the elements around may have all names that the rule requires there. */
static int passes_filter(Rule *rule, Element *element, Budget *budget) {
    static const uint64_t NOTHING[FILTER_WORDS];
    if (!rule->has_filter && find_ancestor_names(rule) < 0) return -1;
    Element *parent = linked(element->parent);
    if (parent != NULL && find_names_around(parent, budget) < 0) return -1;
    const uint64_t *around = parent == NULL ? NOTHING : parent->names_around, *bits = rule->ancestor_names;
    for (int word = 0; word < FILTER_WORDS; word++)
        if (bits[word] & ~around[word]) return 0;
    return 1;
}

/* The rules of an index. */

/* Add the rules under a name whose last step can match; return whether the budget allows more. */
static int add_named(PyObject *found, Index *index, PyObject *name, Element *element, Budget *budget) {
    int is_unparsed = PyDict_Contains(index->unparsed, name);
    if (is_unparsed > 0) {
        PyObject *answer = PyObject_CallMethodObjArgs((PyObject *)index, name_parse_rules, name, NULL);
        if (answer == NULL) return -1;
        Py_DECREF(answer);
    }
    PyObject *rules = is_unparsed < 0 ? NULL : PyDict_GetItemWithError(index->parsed, name);
    if (rules == NULL) return PyErr_Occurred() ? -1 : 1;
    if (!PyList_Check(rules)) return fail_type("a list of rules");
    budget->remaining -= PyList_Size(rules);
    if (budget->remaining <= 0) return 0;
    for (Py_ssize_t place = 0; place < PyList_Size(rules); place++) {
        PyObject *rule = PyList_GetItem(rules, place);
        if (!is_a(rule, rule_base)) return fail_type("a list of rules");
        PyObject *steps = ((Rule *)rule)->steps;
        Step *last = step_at(steps, PyList_Check(steps) ? PyList_Size(steps) - 1 : 0);
        int matches = last == NULL ? -1 : may_match(last, element, budget);
        if (matches < 0 || (matches && PyList_Append(found, rule) < 0)) return -1;
    }
    return 1;
}

static int add_composed(PyObject *found, Index *index, PyObject *sign, PyObject *word, Element *element, Budget *budget) {
    PyObject *name = PyUnicode_Concat(sign, word);
    int more = name == NULL ? -1 : add_named(found, index, name, element, budget);
    Py_XDECREF(name);
    return more;
}

/* Add the rules under the tag, the classes and the id of an element, those for any tag after those for its tag. */
static int add_for_names(PyObject *found, Index *index, Element *element, Budget *budget) {
    int more = add_named(found, index, element->tag, element, budget);
    if (more > 0) more = add_named(found, index, any_tag, element, budget);
    if (more <= 0) return more;
    PyObject *names = class_names(budget, element), *words = names == NULL ? NULL : PyObject_GetIter(names), *word;
    if (words == NULL) return -1;
    while (more > 0 && (word = PyIter_Next(words)) != NULL) {
        more = add_composed(found, index, dot, word, element, budget);
        Py_DECREF(word);
    }
    Py_DECREF(words);
    if (more <= 0 || PyErr_Occurred()) return PyErr_Occurred() ? -1 : 0;
    PyObject *identity = read_attribute(element, name_id);
    if (identity == NULL || identity == Py_None) return identity == NULL ? -1 : 1;
    return add_composed(found, index, number_sign, identity, element, budget);
}

/* Add the rules under attributes that the element has. */
static int add_for_attributes(PyObject *found, Index *index, Element *element, Budget *budget) {
    Py_ssize_t at = 0;
    PyObject *attribute, *value;
    int more = 1;
    while (more > 0 && PyDict_Next(element->attributes, &at, &attribute, &value)) {
        int is_indexed = PySet_Contains(index->attributes, attribute);
        PyObject *name = is_indexed > 0 ? PyUnicode_FromFormat("[%U]", attribute) : NULL;
        if (is_indexed > 0) more = name == NULL ? -1 : add_named(found, index, name, element, budget);
        else if (is_indexed < 0) more = -1;
        Py_XDECREF(name);
    }
    return more;
}

/* Return the rules whose last step can match the element's tag, class and id, or tests one of its attributes. */
static PyObject *find_rules(Index *index, Element *element, Budget *budget) {
    PyObject *name = read_attribute(element, name_class), *identity = name == NULL ? NULL : read_attribute(element, name_id);
    PyObject *key = identity == NULL ? NULL : PyTuple_Pack(3, element->tag, name, identity);
    PyObject *found = key == NULL ? NULL : PyDict_GetItemWithError(index->rules_by_element, key);
    if (found == NULL && key != NULL && !PyErr_Occurred()) {
        found = PyList_New(0);
        if (found != NULL && (add_for_names(found, index, element, budget) < 0 ||
                              PyDict_SetItem(index->rules_by_element, key, found) < 0))
            Py_CLEAR(found);
    } else
        Py_XINCREF(found);
    Py_XDECREF(key);
    if (found == NULL || PySet_Size(index->attributes) == 0 || PyDict_Size(element->attributes) == 0) return found;
    PyObject *more = PyList_New(0), *all = NULL;
    if (more != NULL && add_for_attributes(more, index, element, budget) >= 0)
        all = PyList_Size(more) == 0 ? new_reference(found) : PySequence_Concat(found, more);
    Py_XDECREF(more);
    Py_DECREF(found);
    return all;
}

static Element *as_element(PyObject *object) {
    return is_a(object, element_base) && PyDict_Check(((Element *)object)->attributes) ? (Element *)object
                                                                                                     : NULL;
}

static PyObject *find_matches(PyObject *index, PyObject *object, Budget *budget, int only_paint, int only_first) {
    Element *element = as_element(object);
    Index *fields = (Index *)index;
    if (element == NULL || !PyDict_Check(fields->unparsed) || !PyDict_Check(fields->parsed) ||
        !PyAnySet_Check(fields->attributes) || !PyDict_Check(fields->rules_by_element))
        return fail_type("an index of rules and an element"), NULL;
    PyObject *rules = find_rules(fields, element, budget), *found = rules == NULL ? NULL : PyList_New(0);
    int more = found == NULL ? -1 : PyList_Check(rules) ? 1 : fail_type("a list of rules");
    for (Py_ssize_t place = 0; more > 0 && place < PyList_Size(rules); place++) {
        Rule *rule = (Rule *)PyList_GetItem(rules, place);
        if (!is_a((PyObject *)rule, rule_base)) {
            more = fail_type("a list of rules");
            break;
        }
        if (only_paint && rule->has_paint != Py_True) continue;
        if (--budget->remaining <= 0) break;
        int matches = passes_filter(rule, element, budget);
        if (matches > 0) matches = match_rule(rule, element, budget);
        if (matches < 0 || (matches > 0 && PyList_Append(found, (PyObject *)rule) < 0)) more = -1;
        else if (matches > 0 && only_first) more = 0;
    }
    if (more < 0) Py_CLEAR(found);
    Py_XDECREF(rules);
    return found;
}

PyDoc_STRVAR(match_rules_doc, "match_rules(index, element, budget, only_paint, only_first) -> the rules that match");

static PyObject *match_rules(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *index, *element, *budget;
    int only_paint, only_first;
    if (!PyArg_ParseTuple(arguments, "O!OO!pp", index_base, &index, &element, budget_base, &budget, &only_paint, &only_first))
        return NULL;
    return find_matches(index, element, (Budget *)budget, only_paint, only_first);
}

PyDoc_STRVAR(has_match_doc, "has_match(element, budget) -> whether a rule matches");

static PyObject *index_has_match(PyObject *self, PyObject *arguments) {
    PyObject *element, *budget;
    if (!PyArg_ParseTuple(arguments, "OO!", &element, budget_base, &budget)) return NULL;
    PyObject *found = find_matches(self, element, (Budget *)budget, 0, 1);
    int matches = call_flag(found);
    return matches < 0 ? NULL : PyBool_FromLong(matches);
}

static PyMethodDef index_methods[] = {{"has_match", index_has_match, METH_VARARGS, has_match_doc}, {NULL, NULL, 0, NULL}};

PyDoc_STRVAR(match_steps_doc, "match_steps(steps, element, budget) -> whether an element matches a complex selector");

static PyObject *match_steps(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *steps, *object, *budget;
    if (!PyArg_ParseTuple(arguments, "O!OO!", &PyList_Type, &steps, &object, budget_base, &budget)) return NULL;
    Element *element = as_element(object);
    if (element == NULL) return fail_type("an element"), NULL;
    Py_ssize_t place = PyList_Size(steps) - 1;
    Step *last = step_at(steps, place);
    int matches = last == NULL ? -1 : match_step(last, element, (Budget *)budget);
    if (matches > 0) matches = match_preceding(steps, place, element, (Budget *)budget);
    return matches < 0 ? NULL : PyBool_FromLong(matches);
}

/* The types. */

#define FIRST_step combinator
#define FIRST_rule steps
#define FIRST_index unparsed
#define FIRST_budget class_sets
#define NEVER_NULL_step 6
#define NEVER_NULL_rule 3
#define NEVER_NULL_index 4
#define NEVER_NULL_budget 1
OBJECT_TYPE(step, Step, 6)
OBJECT_TYPE(rule, Rule, 3)
OBJECT_TYPE(index, Index, 4)
OBJECT_TYPE(budget, Budget, 1)

static PyMemberDef step_members[] = {
    OBJECT(Step, combinator), OBJECT(Step, tag),   OBJECT(Step, hash),    OBJECT(Step, classes),
    OBJECT(Step, attributes), OBJECT(Step, tests), {NULL, 0, 0, 0, NULL},
};

static PyMemberDef rule_members[] = {
    OBJECT(Rule, steps), OBJECT(Rule, matches_by_parent), OBJECT(Rule, has_paint),
    {NULL, 0, 0, 0, NULL},
};

static PyMemberDef index_members[] = {
    OBJECT(Index, unparsed), OBJECT(Index, parsed), OBJECT(Index, attributes), OBJECT(Index, rules_by_element),
    {NULL, 0, 0, 0, NULL},
};

static PyMemberDef budget_members[] = {
    OBJECT(Budget, class_sets),
    {"remaining", Py_T_PYSSIZET, offsetof(Budget, remaining), 0, NULL}, {NULL, 0, 0, 0, NULL},
};

#define TYPE(kind, type, title, methods) \
    static PyType_Slot kind##_slots[] = { \
        {Py_tp_new, kind##_new},         {Py_tp_traverse, kind##_traverse}, {Py_tp_clear, kind##_clear}, \
        {Py_tp_dealloc, kind##_dealloc}, {Py_tp_members, kind##_members},   methods {0, NULL}, \
    }; \
    static PyType_Spec kind##_spec = {"assay.html.css._rule_matching." title, sizeof(type), 0, \
                                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, kind##_slots};
#define NO_METHODS
#define INDEX_METHODS {Py_tp_methods, index_methods},
TYPE(step, Step, "StepFields", NO_METHODS)
TYPE(rule, Rule, "RuleFields", NO_METHODS)
TYPE(index, Index, "RuleIndexFields", INDEX_METHODS)
TYPE(budget, Budget, "BudgetFields", NO_METHODS)

static PyMethodDef methods[] = {{"match_rules", match_rules, METH_VARARGS, match_rules_doc},
                                {"match_steps", match_steps, METH_VARARGS, match_steps_doc},
                                {NULL, NULL, 0, NULL}};

static int execute(PyObject *module) {
    element_base = import_type("assay.html.parser._element_tree", "ElementFields");
    if (element_base == NULL) return -1;
#define INTERN(name) \
    if ((name_##name = PyUnicode_InternFromString(#name)) == NULL) return -1;
    NAMES(INTERN)
    fill_crc_table();
    static const struct {
        PyObject **place;
        const char *text;
    } TEXTS[] = {{&name_class, "class"}, {&name_id, "id"}, {&any_tag, "*"}, {&dot, "."}, {&number_sign, "#"}};
    for (size_t place = 0; place < sizeof TEXTS / sizeof *TEXTS; place++)
        if ((*TEXTS[place].place = PyUnicode_InternFromString(TEXTS[place].text)) == NULL) return -1;
    if ((no_names = PyFrozenSet_New(NULL)) == NULL) return -1;
    return add_type(module, &step_base, &step_spec, "StepFields") < 0 ||
                   add_type(module, &rule_base, &rule_spec, "RuleFields") < 0 ||
                   add_type(module, &index_base, &index_spec, "RuleIndexFields") < 0 ||
                   add_type(module, &budget_base, &budget_spec, "BudgetFields") < 0
               ? -1
               : 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute},
                                   {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
                                   {0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_rule_matching", NULL, 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__rule_matching(void) { return PyModuleDef_Init(&definition); }
