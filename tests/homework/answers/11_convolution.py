"""Answers to homework 11: right ones written differently, and typical wrong ones."""

RIGHT = {
    "by-hand": """
        M = np.array([[1.0, -2, 0, 0], [0, 1, -2, 0], [0, 0, 1, -2]])
        y = torch.tensor(M @ [3.0, 1, 0, 2])
        dk = np.correlate([3.0, 1, 0, 2], [1.0, 0, -1])
        dx = list(np.convolve([1, 0, -1], [1, -2]))
    """,
    "depthwise": """
        def depth_forward(X, K):
            V = np.lib.stride_tricks.sliding_window_view(X, K.shape[1:], axis=(2, 3))
            return np.einsum("nchwuv,cuv->nchw", V, K)

        def depth_backward(dY, X, K):
            m1, m2 = K.shape[1:]
            V = np.lib.stride_tricks.sliding_window_view(X, (m1, m2), axis=(2, 3))
            dK = np.einsum("nchwuv,nchw->cuv", V, dY)
            wide = np.pad(dY, ((0, 0), (0, 0), (m1 - 1, m1 - 1), (m2 - 1, m2 - 1)))
            return depth_forward(wide, K[:, ::-1, ::-1]), dK
    """,
    "matrix": """
        def line_matrix(k, n, s, p):
            columns = []
            for q in range(n):
                x = np.zeros(n + 2 * p)
                x[p + q] = 1.0
                columns.append(np.correlate(x, k, "valid")[::s])
            return np.array(columns).T
    """,
    "mend": """
        def layer(X, K, b):
            V = np.lib.stride_tricks.sliding_window_view(X, (3, 3))
            Z = (V * K).sum(axis=(2, 3)) + b
            return Z.reshape(Z.shape[0] // 2, 2, -1, 2).mean(axis=(1, 3))

        def layer_back(dP, X, K, b):
            V = np.lib.stride_tricks.sliding_window_view(X, (3, 3))
            dZ = np.repeat(np.repeat(dP, 2, axis=0), 2, axis=1) / 4
            return np.tensordot(dZ, V, axes=2), dP.sum()
    """,
    "sizes": """
        net = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 5, 2, 2), torch.nn.MaxPool2d(2),
            torch.nn.Conv2d(8, 12, 3, dilation=2),
        )
        side = net(torch.zeros(1, 3, 96, 96)).shape[2]
        weights = sum(p.numel() for p in net.parameters())
        field = 5 + 2 + 16
    """,
}

DEPTH = """
def depth_forward(X, K):
    (N, C, H, W), (_, m1, m2) = X.shape, K.shape
    h, w = H - m1 + 1, W - m2 + 1
    Y = np.zeros((N, C, h, w))
    for u in range(m1):
        for v in range(m2):
            Y += {} * X[:, :, u : u + h, v : v + w]
    return Y

def depth_backward(dY, X, K):
    (_, m1, m2), (h, w) = K.shape, dY.shape[2:]
    dX, dK = np.zeros(X.shape), np.zeros(K.shape)
    for u in range(m1):
        for v in range(m2):
            dX[:, :, u : u + h, v : v + w] {} {} * dY
            dK[:, u, v] = (dY * X[:, :, u : u + h, v : v + w]).{}(axis=(0, 2, 3))
    return dX, dK
"""
K_AT, K_TURNED = (
    "K[None, :, u, v, None, None]",
    "K[None, :, -1 - u, -1 - v, None, None]",
)
MATRIX = """
def line_matrix(k, n, s, p):
    m = len(k)
    M = np.zeros(((n + 2 * p - m) // s + 1, n + 2 * p))
    for i in range(len(M)):
        M[i, {0} : {0} + m] = {1}
    return M[:, {2}]
"""
LAYER = """
def layer(X, K, b):
    h, w = X.shape[0] - 2, X.shape[1] - 2
    Z = np.zeros((h, w))
    for i in range(h):
        for j in range(w):
            Z[i, j] = (X[i : i + 3, j : j + 3] * K).sum() {} b
    return (Z[::2, ::2] + Z[1::2, ::2] + Z[::2, 1::2] + Z[1::2, 1::2]) / 4

def layer_back(dP, X, K, b):
    dZ = np.kron(dP, np.ones((2, 2))) / {}
    h, w = dZ.shape
    dK = np.zeros((3, 3))
    for u in range(3):
        for v in range(3):
            dK[u, v] = (dZ * X[{}]).sum()
    return dK, dZ.sum()
"""
PLACE = "u : u + h, v : v + w"

WRONG = {
    "by-hand": {
        "the kernel flipped": ("y, dk, dx = [-5, -2, 2], [3, -1], [1, -2, -1, 2]", 2),
        "only the first use of a weight": (
            "y, dk, dx = [1, 1, -4], [3, 1], [1, -2, -1, 2]",
            2,
        ),
        "the flip forgotten on the way back": (
            "y, dk, dx = [1, 1, -4], [3, -1], [-2, 1, 2, -1]",
            2,
        ),
    },
    "depthwise": {
        "the kernel turned": (DEPTH.format(K_TURNED, "+=", K_AT, "sum"), 2),
        "the last window only": (DEPTH.format(K_AT, "=", K_AT, "sum"), 3),
        "turned on the way back": (DEPTH.format(K_AT, "+=", K_TURNED, "sum"), 3),
        "mean for sum": (DEPTH.format(K_AT, "+=", K_AT, "mean"), 3),
    },
    "matrix": {
        "no stride": (MATRIX.format("i", "k", "p : p + n"), 1),
        "the padding at one end": (MATRIX.format("s * i", "k", "2 * p :"), 2),
        "the kernel flipped": MATRIX.format("s * i", "k[::-1]", "p : p + n"),
    },
    "mend": {
        "the bias subtracted": (LAYER.format("-", 4, PLACE), 2),
        "no division on the way back": (LAYER.format("+", 1, PLACE), 2),
        "the kernel's axes exchanged": (
            LAYER.format("+", 4, "v : v + h, u : u + w"),
            2,
        ),
    },
    "sizes": {
        "dilation overlooked": ("side, weights, field = 22, 1484, 15", 1),
        "no biases": ("side, weights, field = 20, 1464, 23", 2),
        "strides overlooked": ("side, weights, field = 20, 1484, 10", 2),
    },
}

SLIPS = {
    "mend": [
        {"X.shape[0] - 3, X.shape[1] - 3": "X.shape[0] - 2, X.shape[1] - 2"},
        {"- b": "+ b"},
        {"np.ones((2, 2)))": "np.ones((2, 2))) / 4"},
        {"v : v + h, u : u + w": "u : u + h, v : v + w"},
    ]
}
