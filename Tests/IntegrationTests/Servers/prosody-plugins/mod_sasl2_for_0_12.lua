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

-- Behind mod_saslauth, which puts a handler of its own in the place of mod_sasl2's: tokens bound by tls-exporter take
-- the binding from it.
module:hook("stream-features", function (event)
	local session = event.origin;
	local handler = session.sasl_handler;
	if not (handler and handler.add_cb_handler and session.encrypted) then return; end
	local info = session.conn:ssl_info();
	if not info or info.protocol ~= "TLSv1.3" then return; end
	handler:add_cb_handler("tls-exporter", exporter);
	handler.userdata = handler.userdata or {};
	handler.userdata["tls-exporter"] = session.conn;
end, -100);

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
