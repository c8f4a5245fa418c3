# accepted gateway call to a client without a matching playbook, through ASGITransport, CPU of the process thread
import time, sys
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.tenants.shop import Shop
async def test_gw(front: LiveEngine) -> None:
    from tests.support.tenants.shop import open_shop
    shop = await open_shop(front.database, event_type="other")
    ev={"client_id":shop.client_id,"event_type":"none.such","message":"Bonjour"}
    best=9
    for r in range(12):
        t=time.thread_time()
        for i in range(40):
            a=await front.http.post(GATEWAY,json=ev,headers=shop.headers)
            assert a.status_code in (200,429),a.text
        best=min(best,(time.thread_time()-t)/40)
        if a.status_code!=200: break
        front.app.state.resources.entry_limiter._full.clear()
    print("GW us",round(best*1e6), a.status_code,file=sys.__stderr__)
