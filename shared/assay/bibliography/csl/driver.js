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
