#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The roster that every account has.
static struct bytes roster;

void stream_prepare(void) {
    for (int i = 0; i < settings.roster_items; i++) {
        bytes_add_format(&roster, "<item jid='contact-%d@%s' name='Contact number %d' subscription='both'>"
                                  "<group>Friends</group></item>", i, settings.domain, i);
    }
}

bool attribute(const char *item, size_t length, const char *name, char *value, size_t capacity) {
    const char *end = memchr(item, '>', length);
    size_t name_length = strlen(name);
    value[0] = '\0';
    end = end == NULL ? item + length : end;
    for (const char *at = item; at + name_length + 3 < end; at++) {
        if (*at != ' ' || memcmp(at + 1, name, name_length) != 0 || at[1 + name_length] != '=') {
            continue;
        }
        const char *begin = at + name_length + 3;
        const char *stop = memchr(begin, begin[-1], (size_t)(end - begin));
        if (stop == NULL || (size_t)(stop - begin) >= capacity) {
            return false;
        }
        memcpy(value, begin, (size_t)(stop - begin));
        value[stop - begin] = '\0';
        return true;
    }
    return false;
}

const char *text_inside(const char *item, size_t length, int *text_length) {
    const char *begin = memchr(item, '>', length);
    *text_length = 0;
    if (begin == NULL || begin[-1] == '/') {
        return "";
    }
    begin++;
    const char *end = memchr(begin, '<', (size_t)(item + length - begin));
    *text_length = end == NULL ? 0 : (int)(end - begin);
    return begin;
}

static bool starts_with(const char *data, size_t length, const char *text) {
    return length >= strlen(text) && memcmp(data, text, strlen(text)) == 0;
}

static bool contains(const char *item, size_t length, const char *text) {
    return memmem(item, length, text, strlen(text)) != NULL;
}

bool stream_next(struct connection *connection, size_t *length) {
    struct bytes *input = &connection->input;
    size_t space = 0;
    while (connection->scanned == 0 && space < input->length && strchr(" \r\n\t", input->data[space]) != NULL) {
        space++;
    }
    if (space > 0) {
        bytes_drop(input, space);
    }
    // Each byte is looked at once, however small the pieces are in which a stanza comes.
    for (size_t i = connection->scanned; i < input->length; i++) {
        char byte = input->data[i];
        if (connection->quote != 0) {
            connection->quote = byte == connection->quote ? 0 : connection->quote;
        } else if (!connection->is_in_tag) {
            connection->is_in_tag = byte == '<';
            connection->tag = i;
        } else if (byte == '\'' || byte == '"') {
            connection->quote = byte;
        } else if (byte == '>') {
            const char *tag = input->data + connection->tag;
            size_t tag_length = i - connection->tag;
            bool is_of_stream = starts_with(tag, tag_length, "<?") || starts_with(tag, tag_length, "<stream:stream")
                || starts_with(tag, tag_length, "</stream:stream");
            connection->is_in_tag = false;
            if (!is_of_stream) {
                connection->depth += tag[1] == '/' ? -1 : input->data[i - 1] == '/' ? 0 : 1;
            }
            if (is_of_stream || connection->depth == 0) {
                *length = i + 1;
                connection->scanned = 0;
                connection->depth = 0;
                return true;
            }
        }
    }
    connection->scanned = input->length;
    return false;
}

static void header(struct connection *connection) {
    struct bytes *output = &connection->output;
    bytes_add_format(output,
                     "<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
                     "xmlns:stream='http://etherx.jabber.org/streams' id='s%d' from='%s' version='1.0' xml:lang='en'>"
                     "<stream:features>",
                     connection->descriptor, settings.domain);
    if (connection->tls_state == TLS_NONE) {
        bytes_add_text(output, "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>");
    } else if (!connection->is_authenticated) {
        bytes_add_text(output, "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>");
        for (const char *name = settings.mechanisms; *name != '\0';) {
            int length = (int)strcspn(name, ",");
            bytes_add_format(output, "<mechanism>%.*s</mechanism>", length, name);
            name += length + (name[length] == ',');
        }
        bytes_add_text(output, "</mechanisms>");
    } else {
        bytes_add_text(output, "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><required/></bind>"
                               "<session xmlns='urn:ietf:params:xml:ns:xmpp-session'><optional/></session>");
    }
    bytes_add_text(output, "</stream:features>");
}

// As clients say it: with a status, with what they can do (XEP-0115), and without a picture (XEP-0153).
static void contact_presence(struct connection *connection, int number) {
    bytes_add_format(&connection->output,
                     "<presence from='contact-%d@%s/phone' to='%s@%s/%s'><show>away</show><priority>5</priority>"
                     "<status>On the road until %d</status><c xmlns='http://jabber.org/protocol/caps' hash='sha-1' "
                     "node='https://example.org/client' ver='QgayPKawpkPSDYmwT/WM94uAlu0='/>"
                     "<x xmlns='vcard-temp:x:update'><photo/></x></presence>",
                     number, settings.domain, connection->user, settings.domain, connection->resource, number % 24);
}

static void presence(struct connection *connection, const char *item, size_t length) {
    char type[32], to[160];
    bool has_type = attribute(item, length, "type", type, sizeof type);
    bool has_to = attribute(item, length, "to", to, sizeof to);
    if (has_type && has_to) {
        to[strcspn(to, "/")] = '\0';
        load_presence(connection, type, to);
    } else if (!has_type && !has_to && !connection->is_online) {
        bytes_add_format(&connection->output, "<presence from='%s@%s/%s' to='%s@%s/%s'/>", connection->user, settings.domain,
                         connection->resource, connection->user, settings.domain, connection->resource);
        for (int i = 0; settings.contacts_are_present && i < settings.roster_items; i++) {
            contact_presence(connection, i);
        }
        load_online(connection);
    }
}

static void request(struct connection *connection, const char *item, size_t length) {
    struct bytes *output = &connection->output;
    char type[16], id[128], to[160], from[200] = "";
    attribute(item, length, "type", type, sizeof type);
    attribute(item, length, "id", id, sizeof id);
    if (strcmp(type, "get") != 0 && strcmp(type, "set") != 0) {
        return;
    }
    if (attribute(item, length, "to", to, sizeof to)) {
        snprintf(from, sizeof from, " from='%s'", to);
    }
    if (contains(item, length, "urn:ietf:params:xml:ns:xmpp-bind")) {
        const char *wanted = memmem(item, length, "<resource", 9);
        int wanted_length = 0;
        const char *text = wanted == NULL ? "" : text_inside(wanted, (size_t)(item + length - wanted), &wanted_length);
        if (wanted_length > 0 && wanted_length < (int)sizeof connection->resource) {
            snprintf(connection->resource, sizeof connection->resource, "%.*s", wanted_length, text);
        } else {
            snprintf(connection->resource, sizeof connection->resource, "r%d", connection->descriptor);
        }
        bytes_add_format(output,
                         "<iq type='result' id='%s'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>%s@%s/%s</jid>"
                         "</bind></iq>",
                         id, connection->user, settings.domain, connection->resource);
        return;
    }
    const char *us = connection->user, *resource = connection->resource;
    if (contains(item, length, "jabber:iq:roster") && type[0] == 'g') {
        bytes_add_format(output, "<iq type='result' id='%s' to='%s@%s/%s'><query xmlns='jabber:iq:roster'>", id, us,
                         settings.domain, resource);
        bytes_add(output, roster.data, roster.length);
        bytes_add_text(output, "</query></iq>");
    } else if (contains(item, length, "http://jabber.org/protocol/disco#info")) {
        bytes_add_format(output,
                         "<iq type='result' id='%s'%s to='%s@%s/%s'><query "
                         "xmlns='http://jabber.org/protocol/disco#info'><identity category='server' type='im'/>"
                         "<feature var='urn:xmpp:ping'/><feature var='jabber:iq:roster'/></query></iq>",
                         id, from, us, settings.domain, resource);
    } else if (contains(item, length, "jabber:iq:roster") || contains(item, length, "urn:xmpp:ping")
               || contains(item, length, "urn:ietf:params:xml:ns:xmpp-session")
               || contains(item, length, "urn:xmpp:carbons:2")) {
        bytes_add_format(output, "<iq type='result' id='%s'%s to='%s@%s/%s'/>", id, from, us, settings.domain, resource);
    } else {
        bytes_add_format(output,
                         "<iq type='error' id='%s'%s to='%s@%s/%s'><error type='cancel'><service-unavailable "
                         "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>",
                         id, from, us, settings.domain, resource);
    }
}

void stream_item(struct connection *connection, const char *item, size_t length) {
    if (starts_with(item, length, "<stream:stream")) {
        header(connection);
    } else if (starts_with(item, length, "</stream:stream")) {
        bytes_add_text(&connection->output, "</stream:stream>");
        connection_flush(connection);
        load_offline(connection);
    } else if (starts_with(item, length, "<starttls")) {
        bytes_add_text(&connection->output, "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>");
    } else if (starts_with(item, length, "<auth")) {
        login_begin(connection, item, length);
    } else if (starts_with(item, length, "<response")) {
        login_answer(connection, item, length);
    } else if (!connection->is_authenticated) {
        return;
    } else if (starts_with(item, length, "<presence")) {
        presence(connection, item, length);
    } else if (starts_with(item, length, "<iq")) {
        request(connection, item, length);
    }
}
