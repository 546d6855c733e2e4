"""A second client of an account, for the integration tests: logs in, does what it is told in order, and leaves.

slixmpp-client.py JID HOST PORT CA_FILE ORDERS, with the password in PASSWORD. ORDERS is a JSON list of lists:
["approve", JID], ["deny", JID], ["ask", JID], ["cancel", JID], ["item", JID, NAME, [GROUP, ...]], ["remove", JID],
["block", JID], ["unblock", JID]. Prints the roster and the block list of the end as one JSON object.
"""
import asyncio
import json
import logging
import os
import sys

import slixmpp

jid, host, port, ca_file, orders = sys.argv[1:]
# Debian's slixmpp says at each start that a faster preparation of addresses could be compiled.
logging.basicConfig(level=logging.ERROR)


class SecondClient(slixmpp.ClientXMPP):
    def __init__(self):
        super().__init__(jid + "/slixmpp", os.environ["PASSWORD"])
        self.ca_certs = ca_file
        # What is delivered again at the login stays for Doorward.
        self.auto_authorize = None
        self.auto_subscribe = False
        self.register_plugin("xep_0191")
        self.register_plugin("xep_0199")
        self.status = 1
        self.add_event_handler("session_start", self.begin)
        self.add_event_handler("failed_auth", lambda _: self.disconnect())
        self.add_event_handler("connection_failed", lambda _: self.abort())

    async def begin(self, _):
        try:
            await self.get_roster()
            self.send_presence()
            # Behind the answer, what the server had to deliver at the login is here.
            await self.settle()
            for order in json.loads(orders):
                await self.obey(*order)
            await self.settle()
            print(json.dumps({"roster": await self.items(), "blocked": await self.blocked()}))
            self.status = 0
        except slixmpp.exceptions.XMPPError as error:
            print(f"refused: {error.condition}", file=sys.stderr)
        finally:
            self.disconnect()

    async def settle(self):
        await self["xep_0199"].send_ping(self.boundjid.domain, timeout=10)

    async def obey(self, order, contact, name=None, groups=()):
        kinds = {"approve": "subscribed", "deny": "unsubscribed", "ask": "subscribe", "cancel": "unsubscribe"}
        if order in kinds:
            self.send_presence(pto=contact, ptype=kinds[order])
        elif order == "item":
            await self.set_item(contact, {"name": name or "", "groups": list(groups)})
        elif order == "remove":
            await self.set_item(contact, {"subscription": "remove"})
        elif order == "block":
            await self["xep_0191"].block(contact)
        elif order == "unblock":
            await self["xep_0191"].unblock(contact)
        else:
            raise SystemExit(f"no such order: {order}")
        await self.settle()

    async def set_item(self, contact, item):
        iq = self.make_iq_set()
        iq["roster"]["items"] = {contact: item}
        await iq.send(timeout=10)

    async def items(self):
        # Without a version, so that all of it comes.
        iq = self.make_iq_get()
        iq.enable("roster")
        items = (await iq.send(timeout=10))["roster"]["items"]
        return {
            str(contact): {
                "subscription": item["subscription"],
                "asked": item["ask"] == "subscribe",
                "name": item["name"],
                "groups": sorted(item["groups"]),
            }
            for contact, item in items.items()
        }

    async def blocked(self):
        return sorted(str(item) for item in (await self["xep_0191"].get_blocked(timeout=10))["blocklist"]["items"])


async def main():
    client = SecondClient()
    client.connect((host, int(port)))
    try:
        await asyncio.wait_for(client.disconnected, 30)
    except asyncio.TimeoutError:
        print("waited 30 s in vain", file=sys.stderr)
    return client.status


sys.exit(asyncio.get_event_loop().run_until_complete(main()))
