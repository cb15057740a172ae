interface Timer {
  time: number;
  sequence: number;
  run: (() => void) | undefined;
}

/** Timers in (time, insertion) order: a binary heap; canceled entries are skipped when they reach the top. */
export interface TimerQueue {
  /** Adds a timer and returns a function that cancels it. */
  add(time: number, run: () => void): () => void;
  nextTime(): number | undefined;
  /** Removes the first timer and returns its callback. */
  take(): (() => void) | undefined;
}

function before(a: Timer, b: Timer): boolean {
  return a.time < b.time || (a.time === b.time && a.sequence < b.sequence);
}

function siftUp(heap: Timer[], timer: Timer): void {
  let index = heap.push(timer) - 1;
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = heap[parentIndex];
    if (parent === undefined || !before(timer, parent)) break;
    heap[index] = parent;
    index = parentIndex;
  }
  heap[index] = timer;
}

function removeFirst(heap: Timer[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let childIndex = index * 2 + 1;
    let child = heap[childIndex];
    const right = heap[childIndex + 1];
    if (child !== undefined && right !== undefined && before(right, child)) {
      child = right;
      childIndex += 1;
    }
    if (child === undefined || !before(child, last)) break;
    heap[index] = child;
    index = childIndex;
  }
  heap[index] = last;
}

export function createTimerQueue(): TimerQueue {
  const heap: Timer[] = [];
  let sequence = 0;

  function first(): Timer | undefined {
    while (heap[0] !== undefined && heap[0].run === undefined) removeFirst(heap);
    return heap[0];
  }

  return {
    add(time, run) {
      const timer: Timer = { time, sequence: sequence++, run };
      siftUp(heap, timer);
      return () => {
        timer.run = undefined;
      };
    },
    nextTime: () => first()?.time,
    take() {
      const timer = first();
      if (timer === undefined) return undefined;
      removeFirst(heap);
      const { run } = timer;
      timer.run = undefined;
      return run;
    },
  };
}
