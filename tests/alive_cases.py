"""The outputs of a figure on a page beside those that PyTorch has computed in the build."""

# Of each case: what differs from what is expected, by how much of the largest entry.
COMPARE = """([figure, cases]) => {
  const wrong = [];
  const largest = (values) => values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  for (const { inputs, outputs, refused } of cases) {
    const where = JSON.stringify(inputs).slice(0, 300);
    let got;
    try {
      got = figure.compute(inputs);
    } catch (error) {
      if (!(error instanceof alive.Refusal) || error.message !== refused)
        wrong.push(`${where}: expected ${refused ?? "outputs"}, got ${error}`);
      continue;
    }
    if (refused) {
      wrong.push(`${where}: expected a refusal, got outputs`);
      continue;
    }
    const names = Object.keys(outputs.tensors);
    if (names.join() !== Object.keys(got).join())
      wrong.push(`${where}: expected ${names}, got ${Object.keys(got)}`);
    for (const name of names) {
      const wanted = alive.tensor(outputs, name);
      const { shape, values } = got[name] ?? { shape: [], values: [] };
      if (shape.join() !== wanted.shape.join()) {
        wrong.push(`${where}: ${name}: expected (${wanted.shape}), got (${shape})`);
        continue;
      }
      const gap = largest(wanted.values.map((x, i) => x - values[i]));
      if (!(gap <= 1e-5 * largest(wanted.values)))
        wrong.push(`${where}: ${name} differs by ${gap}`);
    }
  }
  return wrong;
}"""


def compare(figure, cases):
    """List what the program of a figure computes otherwise than PyTorch."""
    return figure.page.evaluate(COMPARE, [figure.element_handle(), cases])
