"""Bodies are quoted by telling statements in every language: own calls, results and errors, each on one line."""

import re

import pytest

from .conftest import write

JAVASCRIPT = """
    function check (order) { return order.total > 0 }
    function save (order, log) { log.push(order); return order.id }

    function place (order, options) {
      console.debug('placing', order, { with: '{' })
      const settings = {
        retries: 3,
      }
      if (!check(order)) {
        throw new Error(
          'no total')
      }
      options.count += settings.retries
      options.count++
      return save(order,
        options.log)
    }
    """
PROJECTS = {
    "store.js": JAVASCRIPT,
    "store.go": """
        package store
        type Order struct{ ID, Total int }
        func check(order Order) bool { return order.Total > 0 }
        func save(order Order, log []Order) (int, error) { return order.ID, nil }

        func Place(order Order, log []Order) (int, error) {
            defer fmt.Println("placing")
            settings := map[string]int{
                "retries": 3,
            }
            if !check(order) {
                return 0, errors.New(
                    "no total")
            }
            order.Total += 1
            number, err := save(order,
                log)
            if err != nil {
                return 0, err
            }
            return number, nil
        }
        """,
    "store.rs": """
        fn check(order: &Order) -> bool { order.total > 0 }
        fn save<'a>(order: &'a Order, log: &mut Vec<u32>) -> u32 { log.push(order.id); order.id }

        pub fn place<'a>(order: &'a Order, log: &mut Vec<u32>) -> Result<u32, String> {
            log::debug!("placing {}", '{');
            let settings = Settings {
                retries: 3,
            };
            if !check(order) {
                return Err(
                    String::from("no total"));
            }
            settings.count += 1;
            let number = save(order,
                log);
            Ok(number)
        }
        """,
}


@pytest.mark.parametrize("name", PROJECTS)
def test_a_body_is_quoted_by_its_calls_results_and_errors(tmp_path, answer, name):
    text = answer(write(tmp_path / "project", {name: PROJECTS[name]}), f"how does {name[0]}tore.place work?".lower())
    quoted = re.findall(r"(?m)^    - (\d+) `(.*)`$", text)
    lines = (tmp_path / "project" / name).read_text().splitlines()
    assert all(code.split("(")[0] in lines[int(number) - 1] for number, code in quoted)
    code = " ".join(code for _, code in quoted)
    assert "check(order)" in code and "save(order, " in code and "no total" in code
    assert not any(word in code for word in ("retries:", '"retries"', "placing", "err != nil")), quoted


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("till.go", "type Till struct {\n    total int\n}\n\n// Add adds an item.\nfunc (t *Till) Add(item int) {}\n"
                    "func (t *Till) drop() {}\n"),
        ("till.rs", "pub struct Till {\n    total: u32,\n}\nimpl Till {\n    /// Add adds an item.\n"
                    "    pub fn Add(&mut self, item: u32) {}\n    fn drop(&self) {}\n}\n"),
    ],
)  # fmt: skip
def test_a_type_is_shown_by_methods_that_are_outside_of_it(tmp_path, answer, name, text):
    shown = answer(
        write(tmp_path / "project", {name: f"{'package till' * name.endswith('go')}\n{text}"}), "how does Till work?"
    )
    assert "`Add` — Add adds an item." in shown and re.search(r"- \d+ `drop\(", shown)


def test_a_type_without_methods_is_shown_by_its_members(tmp_path, answer):
    root = write(tmp_path / "project", {"till.rs": "pub struct Till {\n    /// Cents.\n    total: u32,\n}\n"})
    assert "- 3 `total: u32,`" in answer(root, "how does Till work?")
