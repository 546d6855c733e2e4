-- Makes Debian's prosody-modules of 2023 (mod_sasl2, mod_sasl2_bind2, mod_sasl2_fast) work with Debian's Prosody 0.12,
-- which lacks a few functions that they call. For the integration tests only: load it before them.

local datetime = require "util.datetime";
local stanza_mt = require "util.stanza".stanza_mt;

-- They ask the connection about its TLS; in 0.12 only the socket beneath it knows.
local function teach(methods)
	function methods:ssl_info()
		local socket = self:socket();
		return socket.info and socket:info();
	end
	function methods:ssl_peerfinished()
		local socket = self:socket();
		return socket.getpeerfinished and socket:getpeerfinished();
	end
	function methods:ssl_exportkeyingmaterial(label, length, context)
		local socket = self:socket();
		return socket.exportkeyingmaterial and socket:exportkeyingmaterial(label, length, context);
	end
end

local function exporter(handler)
	return handler.userdata["tls-exporter"]:ssl_exportkeyingmaterial("EXPORTER-Channel-Binding", 32, "");
end

-- Before mod_sasl2.
module:hook("stream-features", function (event)
	local conn = event.origin.conn;
	local methods = conn and getmetatable(conn).__index;
	if type(methods) == "table" and not methods.ssl_info then teach(methods); end
	-- mod_sasl2_fast wants to know that the stream header named an account; which one it does not use.
	event.stream = event.stream or { from = "anyone@"..module.host };
end, 100);

-- A login by token takes its channel binding from the handler of the password, which mod_saslauth has made: around
-- mod_sasl2_fast (priority 100) that one knows tls-exporter. Not for longer: it would refuse the flag `y` then.
module:hook_tag("urn:xmpp:sasl:2", "authenticate", function (session, auth)
	local handler = session.sasl_handler;
	local info = session.encrypted and session.conn:ssl_info();
	if not handler or not auth:get_child("fast", "urn:xmpp:fast:0") then return; end
	session.password_handler = { handler = handler, cb = handler.profile.cb };
	if not info or info.protocol ~= "TLSv1.3" then return; end
	handler.profile.cb = { ["tls-exporter"] = exporter };
	handler.userdata = handler.userdata or {};
	handler.userdata["tls-exporter"] = session.conn;
end, 200);

module:hook_tag("urn:xmpp:sasl:2", "authenticate", function (session)
	local password = session.password_handler;
	if password then password.handler.profile.cb = password.cb; end
end, 99);

-- Behind a refused token the password may be tried on the same stream (XEP-0388 section 2.6.3).
module:hook("sasl2/c2s/failure", function (event)
	local password = event.session.password_handler;
	if not password then return; end
	event.session.password_handler = nil;
	event.session.sasl_handler = password.handler;
end, 100);

-- Lua 5.4 writes no date of a number with a fraction, and mod_sasl2_fast has some.
local written = datetime.datetime;
function datetime.datetime(time)
	return written(time and math.floor(time));
end

if not stanza_mt.get_child_attr then
	function stanza_mt:get_child_attr(name, xmlns, attribute)
		local child = self:get_child(name, xmlns);
		return child and child.attr[attribute];
	end
end
