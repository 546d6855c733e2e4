#pragma once
// Debian's libxml2 headers pull in ICU's when libicu-dev is there, which clashes with Foundation's own copy of ICU.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/SAX2.h>
#include <libxml/dict.h>
#include <libxml/uri.h>
#include <libxml/xmlerror.h>
