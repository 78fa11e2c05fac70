"""ctypes bindings for PDFium with integer handles, which take half the time of pypdfium2's pointer objects."""

import ctypes
from ctypes import c_char_p, c_double, c_float, c_int, c_uint, c_ulong, c_void_p
from functools import cache
from typing import Any

P = c_void_p
SIGNATURES = {  # name: result type, parameter types
    "FPDF_GetMetaText": (c_ulong, P, P, P, c_ulong),
    "FPDF_LoadPage": (P, P, c_int),
    "FPDF_ClosePage": (None, P),
    "FPDF_GetPageBoundingBox": (c_int, P, P),
    "FPDFText_LoadPage": (P, P),
    "FPDFText_ClosePage": (None, P),
    "FPDFText_CountChars": (c_int, P),
    "FPDFText_GetText": (c_int, P, c_int, c_int, P),
    "FPDFText_GetUnicode": (c_uint, P, c_int),
    "FPDFText_GetLooseCharBox": (c_int, P, c_int, P),
    "FPDFText_GetCharBox": (c_int, P, c_int, P, P, P, P),
    "FPDFText_GetCharIndexFromTextIndex": (c_int, P, c_int),
    "FPDFText_GetTextIndexFromCharIndex": (c_int, P, c_int),
    "FPDFText_GetCharIndexAtPos": (c_int, P, c_double, c_double, c_double, c_double),
    "FPDFText_GetBoundedText": (c_int, P, c_double, c_double, c_double, c_double, P, c_int),
    "FPDFPage_Flatten": (c_int, P, c_int),
    "FPDFPage_GetAnnotCount": (c_int, P),
    "FPDFPage_GetAnnot": (P, P, c_int),
    "FPDFPage_CloseAnnot": (None, P),
    "FPDFAnnot_GetSubtype": (c_int, P),
    "FPDFAnnot_GetFlags": (c_int, P),
    "FPDFAnnot_GetRect": (c_int, P, P),
    "FPDFAnnot_HasKey": (c_int, P, c_char_p),
    "FPDFAnnot_GetStringValue": (c_ulong, P, c_char_p, P, c_ulong),
    "FPDFAnnot_CountAttachmentPoints": (c_ulong, P),
    "FPDFAnnot_GetAttachmentPoints": (c_int, P, c_ulong, P),
    "FPDFLink_Enumerate": (c_int, P, P, P),
    "FPDFLink_GetAction": (P, P),
    "FPDFLink_GetAnnotRect": (c_int, P, P),
    "FPDFLink_CountQuadPoints": (c_int, P),
    "FPDFLink_GetQuadPoints": (c_int, P, c_int, P),
    "FPDFAction_GetType": (c_ulong, P),
    "FPDFAction_GetURIPath": (c_ulong, P, P, P, c_ulong),
    "FPDFText_GetFontSize": (c_double, P, c_int),
    "FPDFText_GetFontInfo": (c_ulong, P, c_int, P, c_ulong, P),
    "FPDFText_GetTextObject": (P, P, c_int),
    "FPDFTextObj_GetFont": (P, P),
    "FPDFText_GetMatrix": (c_int, P, c_int, P),
    "FPDFPage_CountObjects": (c_int, P),
    "FPDFPage_GetObject": (P, P, c_int),
    "FPDFPage_RemoveObject": (c_int, P, P),
    "FPDFFormObj_CountObjects": (c_int, P),
    "FPDFFormObj_GetObject": (P, P, c_ulong),
    "FPDFFormObj_RemoveObject": (c_int, P, P),
    "FPDFPageObj_Destroy": (None, P),
    "FPDFPageObj_GetType": (c_int, P),
    "FPDFPageObj_GetBounds": (c_int, P, P, P, P, P),
    "FPDFPageObj_GetFillColor": (c_int, P, P, P, P, P),
    "FPDFPageObj_GetStrokeColor": (c_int, P, P, P, P, P),
    "FPDFPageObj_GetMatrix": (c_int, P, P),
    "FPDFTextObj_GetTextRenderMode": (c_int, P),
    "FPDFTextObj_GetFontSize": (c_int, P, P),
    "FPDFPageObj_SetIsActive": (c_int, P, c_int),
    "FPDFPageObj_CountMarks": (c_int, P),
    "FPDFPageObj_GetMark": (P, P, c_ulong),
    "FPDFPageObj_RemoveMark": (c_int, P, P),
    "FPDFPageObjMark_GetParamValueType": (c_int, P, P),
    "FPDFPageObjMark_GetParamBlobValue": (c_int, P, P, P, c_ulong, P),
    "FPDFTextObj_GetText": (c_ulong, P, P, P, c_ulong),
    "FPDFPageObjMark_GetName": (c_int, P, P, c_ulong, P),
    "FPDFPageObj_GetClipPath": (P, P),
    "FPDFClipPath_CountPaths": (c_int, P),
    "FPDFClipPath_CountPathSegments": (c_int, P, c_int),
    "FPDFClipPath_GetPathSegment": (P, P, c_int, c_int),
    "FPDFPathSegment_GetPoint": (c_int, P, P, P),
    "FPDF_GetPageWidthF": (c_float, P),
    "FPDF_GetPageHeightF": (c_float, P),
    "FPDF_PageToDevice": (c_int, P, c_int, c_int, c_int, c_int, c_int, c_double, c_double, P, P),
    "FPDF_RenderPageBitmap": (None, P, P, c_int, c_int, c_int, c_int, c_int, c_int),
    "FPDFBitmap_CreateEx": (P, c_int, c_int, c_int, P, c_int),
    "FPDFBitmap_FillRect": (c_int, P, c_int, c_int, c_int, c_int, c_ulong),
    "FPDFBitmap_GetBuffer": (P, P),
    "FPDFBitmap_GetStride": (c_int, P),
    "FPDFBitmap_Destroy": (None, P),
    "FPDFPageObj_GetMarkedContentID": (c_int, P),
    "FPDF_StructTree_GetForPage": (P, P),
    "FPDF_StructTree_Close": (None, P),
    "FPDF_StructTree_CountChildren": (c_int, P),
    "FPDF_StructTree_GetChildAtIndex": (P, P, c_int),
    "FPDF_StructElement_GetType": (c_ulong, P, P, c_ulong),
    "FPDF_StructElement_GetAltText": (c_ulong, P, P, c_ulong),
    "FPDF_StructElement_CountChildren": (c_int, P),
    "FPDF_StructElement_GetChildAtIndex": (P, P, c_int),
    "FPDF_StructElement_GetChildMarkedContentID": (c_int, P, c_int),
    "FPDF_StructElement_GetAttributeCount": (c_int, P),
    "FPDF_StructElement_GetAttributeAtIndex": (P, P, c_int),
    "FPDF_StructElement_Attr_GetValue": (P, P, c_char_p),
    "FPDF_StructElement_Attr_GetNumberValue": (c_int, P, P),
    "FPDFPath_GetDrawMode": (c_int, P, P, P),
    "FPDFPath_CountSegments": (c_int, P),
    "FPDFPath_GetPathSegment": (P, P, c_int),
    "FPDFPathSegment_GetType": (c_int, P),
    "FPDFPathSegment_GetClose": (c_int, P),
}


class PDFium:
    """The functions by name without the prefix `FPDF_` or `FPDF`, and shared buffers for their output parameters.

    `floats`, `doubles`, `ints`, `signed` and `six` are views of the buffers; `four_floats`, `four_doubles`, `four_ints`
    and `six_place` are addresses of their elements. One call overwrites the results of the call before it: not
    thread-safe.
    """

    NAME_BYTES = 64

    def __init__(self) -> None:
        import pypdfium2.raw as raw

        for name, (result, *parameters) in SIGNATURES.items():
            place = ctypes.cast(getattr(raw, name), c_void_p).value
            proto: Any = ctypes.PYFUNCTYPE(result, *parameters)  # type: ignore[arg-type]
            setattr(self, name.removeprefix("FPDF").lstrip("_"), proto(place))
        self._places = (ctypes.c_float * 4)(), (ctypes.c_uint * 4)(), (ctypes.c_float * 6)(), (ctypes.c_double * 4)()
        floats, ints, six, doubles = self._places
        self.floats: Any = memoryview(floats).cast("B").cast("f")
        self.ints: Any = memoryview(ints).cast("B").cast("I")
        self.six: Any = memoryview(six).cast("B").cast("f")
        self.doubles: Any = memoryview(doubles).cast("B").cast("d")
        self.signed: Any = memoryview(ints).cast("B").cast("i")
        self.name = ctypes.create_string_buffer(self.NAME_BYTES)
        self.name_place = ctypes.addressof(self.name)
        self.four_floats = tuple(ctypes.addressof(floats) + 4 * place for place in range(4))
        self.four_doubles = tuple(ctypes.addressof(doubles) + 8 * place for place in range(4))
        self.four_ints = tuple(ctypes.addressof(ints) + 4 * place for place in range(4))
        self.six_place = ctypes.addressof(six)

    def __getattr__(self, name: str) -> Any:  # declares the attributes for the type checker
        raise AttributeError(name)


@cache
def pdfium() -> PDFium:
    """Load PDFium once per process."""
    return PDFium()


def raw_handle(thing: Any) -> int:
    """The integer value of a pypdfium2 raw_handle."""
    return ctypes.cast(thing, c_void_p).value or 0
