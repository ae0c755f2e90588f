"""The layers of the pages in a real browser, held against PyTorch's on drawn inputs."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests.alive.conftest import assert_same, network, plain
from tests.chapter_code import ChapterCode

SEEDS = range(5)


def draw(seed, *shapes):
    """Sizes from 1 to 6 by letter of the ``shapes``, and an array of each shape."""
    rng = np.random.default_rng(seed)
    sizes = {letter: int(rng.integers(1, 7)) for letter in "abcdefgh"}
    arrays = [2 * rng.normal(size=[sizes[letter] for letter in s]) for s in shapes]
    return sizes, [torch.tensor(a) for a in arrays]


@pytest.fixture
def layer(scripts):
    """Evaluates a call of the page's layers whose arguments go by their names."""
    page = scripts()

    def call(expression, **arguments):
        shape, values = page.evaluate(
            f"""(given) => {{
              const made = (each) =>
                each?.shape ? alive.array(each.shape, each.values) : each;
              const {{ {", ".join(arguments)} }} = Object.fromEntries(
                Object.entries(given).map(([name, each]) => [name, made(each)]));
              with (alive.layers) {{
                const {{ shape, values }} = {expression};
                return [shape, [...values]];
              }}
            }}""",
            {name: plain(value) for name, value in arguments.items()},
        )
        return np.reshape(values, shape)

    return call


def near(ours, theirs):
    assert_same({"layer": ours}, {"layer": theirs}, 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_linear(layer, seed):
    _, (X, W, b) = draw(seed, "abc", "dc", "d")
    near(layer("linear(X, W, b)", X=X, W=W, b=b), F.linear(X, W, b))
    x = X[0, 0]
    near(layer("linear(x, W)", x=x, W=W), F.linear(x, W))


@pytest.mark.parametrize("seed", SEEDS)
def test_convolution_and_pooling(layer, seed):
    rng = np.random.default_rng(seed)
    C, K, h, w = rng.integers(1, 5, size=4)
    H, W = h + rng.integers(0, 6), w + rng.integers(0, 6)
    shapes = (C, H, W), (K, C, h, w), (K,)
    X, filters, b = (torch.tensor(rng.normal(size=s)) for s in shapes)
    ours = layer("conv2d(X, filters, b)", X=X, filters=filters, b=b)
    near(ours, F.conv2d(X[None], filters, b)[0])
    for s in range(1, min(H, W) + 1):  # rows and columns that are left over, too
        near(layer("avgPool2d(X, s)", X=X, s=s), F.avg_pool2d(X[None], s)[0])


@pytest.mark.parametrize("seed", SEEDS)
def test_activations(layer, seed):
    _, (X,) = draw(seed, "abc")
    X = torch.cat([5 * X.flatten(), torch.zeros(1)])
    theirs = {"relu": F.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid}
    for name, f in theirs.items():
        near(layer(f"{name}(X)", X=X), f(X))


def test_gelu_is_exact_everywhere(layer):
    X = torch.linspace(-12, 12, 2001, dtype=torch.float64)
    np.testing.assert_allclose(layer("gelu(X)", X=X), F.gelu(X), rtol=0, atol=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_along_the_last_axis(layer, seed):
    _, (X, g, b) = draw(seed, "abc", "c", "c")
    X = 200 * X  # e^x would overflow
    masked = X.masked_fill(X > X.median(), -torch.inf)
    masked[..., 0] = X[..., 0]  # a row that is masked entirely has no softmax
    near(layer("softmax(X)", X=X), X.softmax(-1))
    near(layer("softmax(X)", X=masked), masked.softmax(-1))
    near(layer("logSoftmax(X)", X=X), X.log_softmax(-1))
    theirs = F.layer_norm(X, g.shape, g, b)
    near(layer("layerNorm(X, g, b)", X=X, g=g, b=b), theirs)
    near(layer("unit(X)", X=X), F.normalize(X, dim=-1, eps=1e-8))
    near(layer("unit(X)", X=0 * X), 0 * X)


def test_a_row_that_is_masked_entirely(layer):
    S = torch.full((3,), -torch.inf)
    assert np.isnan(layer("softmax(S)", S=S)).all() and S.softmax(0).isnan().all()


@pytest.mark.parametrize("seed", SEEDS)
def test_gru(layer, seed):
    rng = np.random.default_rng(seed)
    width, d, T = (int(n) for n in rng.integers(1, 7, size=3))
    cell = torch.nn.GRUCell(width, d).double()
    gru = torch.nn.GRU(width, d).double()
    for p in [*cell.parameters(), *gru.parameters()]:
        p.data = torch.tensor(rng.normal(size=p.shape))
    x, h, X = (torch.tensor(rng.normal(size=s)) for s in (width, d, (T, width)))

    def weights(net):
        values = (p.detach() for p in net.parameters())
        return dict(zip(("W_x", "W_h", "b_x", "b_h"), values, strict=True))

    with torch.no_grad():
        ours = layer("gruStep(x, h, W_x, W_h, b_x, b_h)", x=x, h=h, **weights(cell))
        near(ours, cell(x, h))
        near(layer("gru(X, W_x, W_h, b_x, b_h)", X=X, **weights(gru)), gru(X)[0])


@pytest.mark.parametrize("seed", SEEDS)
def test_attention(layer, seed):
    sizes, (Q, K, V) = draw(seed, "abc", "adc", "ade")
    given = {"Q": Q, "K": K, "V": V}
    theirs = F.scaled_dot_product_attention(Q, K, V)
    near(layer("attention(Q, K, V).output", **given), theirs)
    weights = (Q @ K.mT / K.shape[-1] ** 0.5).softmax(-1)
    near(layer("attention(Q, K, V).weights", **given), weights)

    rng = np.random.default_rng(seed)
    may = torch.tensor(rng.random((sizes["b"], sizes["d"])) < 0.5)
    may[:, 0] = True
    call = "attention(Q, K, V, (m, n) => may[m][n]).output"
    ours = layer(call, **given, may=may.tolist())
    near(ours, F.scaled_dot_product_attention(Q, K, V, may))


@pytest.mark.parametrize("seed", SEEDS)
def test_heads(layer, seed):
    rng = np.random.default_rng(seed)
    h, T, k = (int(n) for n in rng.integers(1, 7, size=3))
    X = torch.tensor(rng.normal(size=(T, h * k)))
    heads = X.unflatten(-1, (h, -1)).transpose(0, 1)
    near(layer("splitHeads(X, h)", X=X, h=h), heads)
    near(layer("joinHeads(heads)", heads=heads), X)


def test_rotate_equals_the_chapter(layer):
    rotate = ChapterCode("17_transformer").namespace()["rotate"]
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        h, T, pairs, start = (int(n) for n in rng.integers(1, 7, size=4))
        X = torch.tensor(rng.normal(size=(h, T, 2 * pairs)))
        near(layer("rotate(X)", X=X), rotate(X))
        near(layer("rotate(X, start)", X=X, start=start), rotate(X, start))


@pytest.mark.parametrize("seed", SEEDS)
def test_arrays(layer, seed):
    _, (X, Y) = draw(seed, "abc", "abc")
    n = len(X)
    near(layer("add(X, Y)", X=X, Y=Y), X + Y)
    near(layer("multiply(X, Y)", X=X, Y=Y), X * Y)
    near(layer("transpose(X)", X=X[0]), X[0].T)
    near(layer("reshape(X, [n])", X=X, n=X.numel()), X.flatten())
    near(layer("row(X, i)", X=X, i=n - 1), X[-1])
    near(layer("rows(X, start, end)", X=X, start=n // 2, end=n), X[n // 2 :])
    near(layer("stack([X, Y])", X=X, Y=Y), torch.stack([X, Y]))
    for axis in range(3):
        part = Y.narrow(axis, 0, 1)
        ours = layer("concatenate([X, part], axis)", X=X, part=part, axis=axis)
        near(ours, torch.cat([X, part], axis))


def test_weights_are_decoded_as_they_were_written(scripts):
    rng = np.random.default_rng(1)
    weights = {"a": rng.normal(size=(3, 1, 2)), "b.c": rng.normal(size=7), "d": 5.0}
    page, net = scripts(), network(weights)
    for name, value in weights.items():
        shape, values = page.evaluate(
            """([network, name]) => {
              const { shape, values } = alive.tensor(network, name);
              return [shape, [...values]];
            }""",
            [net, name],
        )
        assert np.array_equal(np.reshape(values, shape), np.float32(value))
    missing = "(network) => alive.tensor(network, 'e')"
    with pytest.raises(Exception, match=r"expected one of a, b\.c, d, got e"):
        page.evaluate(missing, net)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("linear(array([2, 3]), array([4, 2]))", "expected rows of 2 numbers"),
        ("conv2d(array([2, 5, 5]), array([4, 1, 3, 3]), array([4]))", "1 channels"),
        ("array([2, 3], [1, 2])", r"expected 6 values for \(2,3\), got 2"),
        ("embedding(array([5, 2]), [4, 5])", "numbers from 0 to 5"),
    ],
)
def test_other_shapes_are_refused(scripts, call, sentence):
    with pytest.raises(Exception, match=sentence):
        scripts().evaluate(f"() => {{ with (alive.layers) {call}; }}")


def test_lenet(scripts):
    scope = ChapterCode("12_cnn").namespace()
    net = scope["initialise"](scope["lenet"](), 3)
    rng = np.random.default_rng(3)
    for p in net.parameters():
        if p.dim() == 1:  # biases of 0 hide mistakes
            p.data = torch.tensor(rng.normal(size=p.shape), dtype=torch.float32)
    images = torch.tensor(rng.normal(size=(3, 1, 32, 32)), dtype=torch.float32)
    found = scripts().evaluate(
        """([network, images]) => {
          const { linear, conv2d, avgPool2d, relu, reshape } = alive.layers;
          const weight = (name) => alive.tensor(network, name);
          const of = (layer, X, number) =>
            layer(X, weight(number + ".weight"), weight(number + ".bias"));
          return images.map((values) => {
            let X = alive.array([1, 32, 32], values);
            X = avgPool2d(relu(of(conv2d, X, 0)), 2);
            X = avgPool2d(relu(of(conv2d, X, 3)), 2);
            X = reshape(relu(of(conv2d, X, 6)), [120]);
            X = of(linear, relu(of(linear, X, 9)), 11);
            return [...X.values];
          });
        }""",
        [network(net.state_dict()), images.flatten(1).tolist()],
    )
    with torch.no_grad():
        assert_same({"logits": np.array(found)}, {"logits": net(images)})
