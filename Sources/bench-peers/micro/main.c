// bench-micro
//
// The least that single pieces of work cost in C, for `doorward-bench micro`: reads lines `address N`,
// `address-SPELLING N`, `stanza N`, `sha1 N` and `sha256 N`, does the work N times, and prints `NS` with the nanoseconds of
// processor time that one takes.
#include "bench_common.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <expat.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The same as in MicroBench.swift.
#define MOST 4
static const struct {
    const char *work;
    const char *texts[MOST];
} addresses[] = {
    {"address",
     {"support@doorward.test", "ann@example.org/phone", "a.rather.long-name_2026@conference.chat.example.net",
      "bot17@a.test/d8f3a1c25e"}},
    {"address-capitals", {"Ann@example.org", "ann@Example.ORG/Phone"}},
    {"address-dot", {"ann@example.org.", "ann@example.org./phone"}},
    {"address-hyphens", {"ann@a--b.example", "ann@chat---2.example.org/phone"}},
    {"address-ipv4", {"ann@192.168.100.200", "ann@10.0.0.1/phone"}},
    {"address-ipv6",
     {"ann@[2001:db8::1]", "ann@[2001:0DB8:1234:5ef0:1000:ABCD:7fff:fffe]/phone", "ann@[::ffff:192.168.100.200]"}},
    // 255 bytes each.
    {"address-long",
     {"LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL"
      "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL"
      "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL@Example.org",
      "a@Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-"
      "1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-"
      "1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.Ab-1.org"}},
};
static const char stanza[] =
    "<presence from='contact123@b.test' to='bot17@a.test' type='subscribe' id='s-4711'>"
    "<status>Hello, it is me &amp; my dog</status><nick xmlns='http://jabber.org/protocol/nick'>Ann</nick></presence>";

static volatile size_t sink;

static bool is_plain(char byte) {
    return isalnum((unsigned char)byte) || byte == '.' || byte == '-' || byte == '_';
}

// One part, checked, in lower case, in memory of its own.
static char *part(const char *text, size_t length) {
    char *copy = malloc(length + 1);
    if (copy == NULL) {
        fail("no memory");
    }
    for (size_t i = 0; i < length; i++) {
        if (!is_plain(text[i])) {
            fail("the address is not plain");
        }
        copy[i] = (char)tolower((unsigned char)text[i]);
    }
    copy[length] = 0;
    return copy;
}

static char *literal(const char *text, size_t length) {
    char buffer[INET6_ADDRSTRLEN];
    struct in6_addr value;
    if (length < 3 || length > sizeof buffer) {
        fail("the address is not plain");
    }
    memcpy(buffer, text + 1, length - 2);
    buffer[length - 2] = 0;
    if (inet_pton(AF_INET6, buffer, &value) != 1 || inet_ntop(AF_INET6, &value, buffer, sizeof buffer) == NULL) {
        fail("the address is not plain");
    }
    return strdup(buffer);
}

static void address(const char *text) {
    const char *at = strchr(text, '@'), *slash = strchr(at, '/');
    size_t host = slash == NULL ? strlen(at + 1) : (size_t)(slash - at - 1);
    if (at[host] == '.') {
        host--;
    }
    char *domain = at[1] == '[' ? literal(at + 1, host) : part(at + 1, host);
    char *parts[] = {part(text, (size_t)(at - text)), domain, slash == NULL ? NULL : strdup(slash + 1)};
    for (int i = 0; i < 3; i++) {
        sink += parts[i] == NULL ? 0 : strlen(parts[i]);
        free(parts[i]);
    }
}

// The addresses of a work; NULL where it has none.
static const char *const *texts_of(const char *work) {
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        if (strcmp(addresses[i].work, work) == 0) {
            return addresses[i].texts;
        }
    }
    return NULL;
}

static void XMLCALL began(void *data, const XML_Char *name, const XML_Char **attributes) {
    (void)data;
    sink += strlen(name);
    for (; *attributes != NULL; attributes++) {
        sink += strlen(*attributes);
    }
}

static void XMLCALL ended(void *data, const XML_Char *name) {
    (void)data;
    sink += strlen(name);
}

static void XMLCALL text(void *data, const XML_Char *bytes, int length) {
    (void)data;
    (void)bytes;
    sink += (size_t)length;
}

static XML_Parser stream(void) {
    static const char header[] =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>";
    XML_Parser parser = XML_ParserCreateNS(NULL, ' ');
    XML_SetElementHandler(parser, began, ended);
    XML_SetCharacterDataHandler(parser, text);
    if (XML_Parse(parser, header, sizeof header - 1, 0) != XML_STATUS_OK) {
        fail("expat refuses the header");
    }
    return parser;
}

static void derive(const EVP_MD *hash) {
    struct scram_keys keys;
    scram_derive(&keys, hash, "password", "0123456789abcdef", 16, 4096);
    sink += keys.client[0];
}

static double cpu(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(void) {
    char line[64], word[32];
    long count;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "%31s %ld", word, &count) != 2 || count <= 0) {
            fail("not understood: %s", line);
        }
        XML_Parser parser = stream();
        const char *const *texts = texts_of(word);
        long length = 0;
        while (texts != NULL && length < MOST && texts[length] != NULL) {
            length++;
        }
        double start = cpu();
        for (long i = 0; i < count; i++) {
            if (texts != NULL) {
                address(texts[i % length]);
            } else if (strcmp(word, "stanza") == 0) {
                if (XML_Parse(parser, stanza, sizeof stanza - 1, 0) != XML_STATUS_OK) {
                    fail("expat refuses the stanza");
                }
            } else if (strcmp(word, "sha1") == 0) {
                derive(EVP_sha1());
            } else if (strcmp(word, "sha256") == 0) {
                derive(EVP_sha256());
            } else {
                fail("there is no work '%s'", word);
            }
        }
        printf("NS %.1f\n", (cpu() - start) / (double)count);
        fflush(stdout);
        XML_ParserFree(parser);
    }
    return 0;
}
