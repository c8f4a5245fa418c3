"""Each tour creates new orders."""

from pathlib import Path

from adapters.demo.shop import open_demo_shop, order_count
from adapters.system import utc_now
from demo.orders import DemoNumbers, orders_of, stock


def test_no_tour_meets_the_orders_of_another(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    tours = [stock(path, utc_now()) for _ in range(3)]
    numbers = [{it.number for it in orders_of(one, utc_now())} for one in tours]
    assert len(set().union(*numbers)) == sum(map(len, numbers)) == order_count(path)
    assert tours[0].first == 1042


def test_goes_on_behind_a_tour_that_had_fewer(tmp_path: Path) -> None:
    """The state that an earlier version left in the data folder."""
    path = tmp_path / "shop.db"
    earlier = orders_of(DemoNumbers(1042), utc_now())[:5]
    open_demo_shop(path, earlier)
    now = {it.number for it in orders_of(stock(path, utc_now()), utc_now())}
    assert now.isdisjoint(it.number for it in earlier)
