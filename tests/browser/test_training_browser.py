"""The page on training in a browser: what is typed stands in the address, over other pages, Back and a reload."""

from playwright.sync_api import expect

from tests.browser.waiting import rest


def test_a_run_survives_other_pages_back_and_a_reload(page, traffic):
    """The answer follows what is typed, and is there again each time; then a plan is begun with it."""
    page.goto("/training?trainn=2000&trainb=100&traine=4&trainscheme=Shuffled+each+epoch")
    rest(page)
    noise = page.get_by_role("textbox", name="Noise multiplier")
    noise.fill("3")
    noise.press("Enter")
    page.wait_for_function("new URLSearchParams(location.search).get('trains') === '3'")
    rest(page)
    said = page.get_by_text("at a noise multiplier of 3 cost")
    expect(said).to_contain_text("Shuffled each epoch: 2,000 records, batches of 100, 4 epochs")
    page.locator("[class*=st-key-place_learn]").get_by_role("link").click()
    expect(page.get_by_text("Which question do you have?")).to_be_visible()
    rest(page)
    page.go_back()
    page.wait_for_function("location.pathname.endsWith('/training')")
    expect(noise).to_have_value("3")
    page.reload()
    expect(noise).to_have_value("3")
    expect(said).to_be_visible()
    page.get_by_role("button", name="Start a plan with this training").click()
    expect(page.get_by_text("“Trained model” is all of the cost")).to_be_visible()
    expect(page.get_by_role("textbox", name="Unit of privacy")).to_have_value("record")
    rest(page)
    assert not traffic.foreign and not traffic.errors


def test_a_noise_that_was_found_is_kept(page, traffic):
    """It is what the box holds then, and the address, over a reload."""
    page.goto("/training?trainn=2000&trainb=100&traine=4&trainsolve=the+noise+that+is+needed&traineps=1")
    rest(page)
    page.get_by_role("button", name="Keep this noise, and price other batches at it").click()
    page.wait_for_function("new URLSearchParams(location.search).get('trains') === '1.9750'")
    rest(page)
    expect(page.get_by_role("textbox", name="Noise multiplier")).to_have_value("1.9750")
    page.reload()
    expect(page.get_by_role("textbox", name="Noise multiplier")).to_have_value("1.9750")
    expect(page.get_by_text("at a noise multiplier of 1.975 cost")).to_be_visible()
    assert not traffic.foreign and not traffic.errors
