// expect: accepted
// why: every node is freed once, after its successor has been read
struct Node { int value; Node* next; };
extern "C" __global__ void distinct(const int* x, int* count, int* last, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    Node* first = nullptr;
    int found = 0;
    for (int k = 0; k < 24; ++k) {
        Node* node = first;
        while (node && node->value != x[24 * row + k]) node = node->next;
        if (node) continue;
        node = new Node;
        node->value = x[24 * row + k];
        node->next = first;
        first = node;
        found += 1;
    }
    count[row] = found;
    last[row] = first->value;
    while (first) {
        Node* next = first->next;
        delete first;
        first = next;
    }
}
