#define K extern "C" __global__ void
struct Node { int value; Node* next; };
K list(int* out, int n) {
    Node* head = nullptr;
    for (int i = 0; i < n; i++) {
        Node* node = (Node*)malloc(sizeof(Node));
        node->value = i * threadIdx.x;
        node->next = head;
        head = node;
    }
    int sum = 0;
    while (head) {
        Node* next = head->next;
        sum += head->value;
        free(head);
        head = next;
    }
    out[threadIdx.x] = sum;
}
K past_end(int* out) {
    int* room = (int*)malloc(threadIdx.x * 4);
    room[5] = 1;
    out[threadIdx.x] = room[5];
}
K after_free(int* out) {
    volatile int* room = (int*)malloc(64);
    room[0] = 1;
    free((void*)room);
    out[threadIdx.x] = room[0];
}
K twice(int* out) {
    int* room = new int[4];
    delete[] room;
    delete[] room;
    out[0] = 1;
}
K not_given(int* out) { free(out + threadIdx.x); }
K used_up(int* out) {
    int count = 0;
    while (malloc(1 << 20)) count++;
    out[threadIdx.x] = count;
}
K unwritten(int* out) {
    volatile int* room = (int*)malloc(64);
    room[1] = 3;
    out[threadIdx.x] = room[threadIdx.x];
}
