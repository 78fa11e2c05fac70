/* Runs citeproc-js, which is loaded before this file as the global CSL. */

/* citeproc-js builds a macro once for the text of a reference, but again at each use for sort keys. Styles whose macros
   call each other then take seconds and hundreds of megabytes (APA: 70,000 tokens). Build each macro once there too.
   For each call of a macro it also searches all elements of the style (APA: 590,000 visits). Macros are children of the root. */
(function () {
    CSL.getMacroTarget = function (name) {
        var key = CSL.macroKey(this, name);
        if (this.macros[key]) {
            return false;
        }
        this.macros[key] = [];
        return this.macros[key];
    };
    CSL.macroKey = function (state, name) {
        return state.build.extension ? state.build.root + state.build.extension + ":" + name : name;
    };
    CSL.configureMacro = function (tokens) {
        this.configureTokenList(tokens);
    };
    CSL.findMacros = function (style, name) {
        return style.children.filter(function (child) {
            return child.name === "macro" && child.attrs.name === name;
        });
    };
    var source = CSL.expandMacro.toString();
    [
        ["if (!this.build.extension) {", "{"],
        ["}(mkey));", "}(CSL.macroKey(this, mkey)));"],
        ["this.cslXml.getNodesByName(this.cslXml.dataObj, 'macro', mkey)", "CSL.findMacros(this.cslXml.dataObj, mkey)"]
    ].forEach(function (change) {
        if (source.indexOf(change[0]) < 0) {
            throw new Error("This version of citeproc-js is not known.");
        }
        source = source.replace(change[0], change[1]);
    });
    CSL.expandMacro = eval("(" + source + ")");
})();

/* To tell works apart that are cited with the same words, citeproc-js writes the citation of each of them again for each way
   to tell them apart, also where it changes nothing: five times for works of one author and year in APA. A citation is the
   same again for the same work, the same settings and the same known names, so it is written once. */
(function () {
    var written = {};
    var write = CSL.getAmbiguousCite;
    var run = CSL.Disambiguation.prototype.run;
    var NameReg = CSL.Registry.NameReg;
    CSL.Disambiguation.prototype.run = function (akey) {
        written = {};
        run.call(this, akey);
        written = {};
    };
    CSL.Registry.NameReg = function (state) {
        NameReg.call(this, state);
        var add = this.addname;
        this.addname = function (id, name, position) {
            var before = countKeys(this.nameind[id]);
            add.call(this, id, name, position);
            if (countKeys(this.nameind[id]) !== before) {
                written = {};
            }
        };
    };
    CSL.getAmbiguousCite = function (Item, settings, visual, item) {
        if (!settings || item) {
            return write.call(this, Item, settings, visual, item);
        }
        var key = JSON.stringify([Item.id, describe(settings), describe(this.registry.registry[Item.id].disambig)]);
        var known = visual && written[key];
        if (!known) {
            var text = write.call(this, Item, settings, visual, item);
            written[key] = {
                text: text,
                names: settings.names.slice(),
                givens: settings.givens.map(function (levels) { return levels.slice(); }),
                initials: settings.use_initials,
                count: this.tmp.disambiguate_count,
                most: this.tmp.disambiguate_maxMax
            };
            return text;
        }
        copyInto(settings.names, known.names);
        copyInto(settings.givens, known.givens);
        if (known.initials) {
            settings.use_initials = true;
        }
        this.tmp.disambig_request = false;
        this.tmp.disambig_settings = settings;
        this.tmp.disambiguate_count = known.count;
        this.tmp.disambiguate_maxMax = known.most;
        return known.text;
    };
    function copyInto(list, values) {
        values.forEach(function (value, place) {
            if (Array.isArray(value) && Array.isArray(list[place])) {
                copyInto(list[place], value);
            } else {
                list[place] = Array.isArray(value) ? value.slice() : value;
            }
        });
    }
    function countKeys(object) {
        return object ? Object.keys(object).length : 0;
    }
    function describe(settings) {
        return [settings.names, settings.givens, settings.year_suffix, settings.disambiguate || 0, settings.use_initials || false];
    }
})();

/* Return the references as a JSON list of strings; null if the style has notes only. */
function formatReferences(style, itemsText, localesText, locale) {
    var items = {};
    var ids = [];
    JSON.parse(itemsText).forEach(function (item) {
        items[item.id] = item;
        ids.push(item.id);
    });
    var locales = JSON.parse(localesText);
    var engine = new CSL.Engine({
        retrieveLocale: function (tag) { return locales[tag] || false; },
        retrieveItem: function (id) { return items[id]; }
    }, style, locale, true);
    engine.setOutputFormat("text");
    engine.updateItems(ids);
    var made = engine.makeBibliography();
    return JSON.stringify(made ? made[1] : null);
}
