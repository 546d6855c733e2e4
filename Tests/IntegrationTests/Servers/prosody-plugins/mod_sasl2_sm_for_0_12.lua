-- The same for mod_sasl2_sm: it wants to enable and resume stream management without its answers being sent, which
-- mod_smacks of Prosody 0.12 always does. Here mod_smacks says them to a box, and they are taken out of it.

local errors = require "util.error";
local stanza_mt = require "util.stanza".stanza_mt;
local smacks = module:depends("smacks");
local xmlns_sm = "urn:xmpp:sm:3";

-- Something that can be put in the place of session.send.
local function box()
	local held = {};
	return held, setmetatable({}, { __call = function (_, stanza) held[#held + 1] = stanza; return true; end });
end

local function refused(answer)
	local condition = answer and answer.tags[1] and answer.tags[1].name or "item-not-found";
	local h = answer and tonumber(answer.attr.h);
	return nil, errors.new({ type = "cancel", condition = condition, context = { h = h } });
end

function smacks.do_enable(session, request)
	local held, send = box();
	local real = session.send;
	session.send = send;
	smacks.handle_enable(session, request, xmlns_sm);
	session.send = real;
	local answer = held[1];
	if not answer or answer.name ~= "enabled" then return refused(answer); end
	return { type = "enabled", id = answer.attr.id, resume_max = answer.attr.max, finish = function () end };
end

function smacks.do_resume(session, request)
	local held, send = box();
	local real = session.send;
	session.send = send;
	smacks.handle_resume(session, request, xmlns_sm);
	local answer = table.remove(held, 1);
	if not answer or answer.name ~= "resumed" then
		session.send = real;
		return refused(answer);
	end
	-- The session of before has taken over the stream, and the box with it.
	local resumed = send.session;
	real.session, real.filter = resumed, resumed.filter;
	resumed.send = real;
	-- What is still looked for where the login began.
	for _, name in ipairs({ "sasl_handler", "client_id", "fast_token_request" }) do resumed[name] = session[name]; end
	return {
		type = "resumed"; id = answer.attr.previd; session = resumed;
		finish = function ()
			resumed.resending_unacked, session.resending_unacked = true, true;
			for _, stanza in ipairs(held) do real(stanza); end
			resumed.resending_unacked, session.resending_unacked = nil, nil;
		end;
	};
end

if not stanza_mt.add_error then
	function stanza_mt:add_error(err)
		return self:tag(err.condition, { xmlns = "urn:ietf:params:xml:ns:xmpp-stanzas" }):up();
	end
end

-- No features follow a resumption (XEP-0198 section 9.2.2); mod_sasl2 would send them next.
module:hook("sasl2/c2s/success", function (event)
	local result = event.session.sasl2_sm_success;
	if result and result.type == "resumed" then
		event.session.sasl2_sm_success = nil;
		event.session.sasl_handler = nil;
		return true;
	end
end, -1400);
