import { describe, expect, test } from 'vitest';
import { createSlots, type QueueSlot } from '../../runtime/plan/slots.ts';

/** Slots, and the targets that were enqueued for a free one. */
function open(max: number) {
  const enqueued: string[] = [];
  const { enter, note, ...slots } = createSlots<string>(
    max,
    (key, delayMs) => void (delayMs === 0 && enqueued.push(key)),
    () => 0,
  );
  return {
    slots: {
      ...slots,
      enter: (key: string, order: readonly string[], begun = false) => enter(key, slotOf(order, begun)),
      note: (key: string, holds: boolean, namespace = '') => note(key, namespace, holds),
    },
    told: () => enqueued.splice(0),
  };
}

function slotOf([group = '', namespace = '', name = '']: readonly string[], begun: boolean): QueueSlot {
  return { isStarted: begun, group, namespace, name };
}

describe('how many plans run at once', () => {
  test('as many as there are slots; the next one waits, and is enqueued when one is free', () => {
    const { slots, told: enqueued } = open(2);
    expect(slots.enter('a', ['', 'shop', 'a'])).toBe(true);
    expect(slots.enter('b', ['', 'shop', 'b'])).toBe(true);
    expect(slots.enter('c', ['', 'shop', 'c'])).toBe(false);
    expect(slots.message).toContain('at most 2 plans move pods at once');
    expect(enqueued()).toEqual([]);
    slots.note('a', false);
    expect(enqueued()).toEqual(['c']);
    expect(slots.enter('c', ['', 'shop', 'c'])).toBe(true);
    expect(slots.enter('d', ['', 'shop', 'd'])).toBe(false);
  });

  test('namespaces alternate, in each by group and name, whatever the order of arrival', () => {
    const { slots, told: enqueued } = open(1);
    slots.enter('running', ['', '', '']);
    for (const order of [
      ['2', 'a', 'a'],
      ['1', 'b', 'a'],
      ['1', 'a', 'b'],
      ['1', 'a', 'a'],
      ['', 'z', 'z'],
    ])
      expect(slots.enter(order.join(' '), order)).toBe(false);
    const served: string[] = [];
    let running = 'running';
    for (let n = 0; n < 5; n++) {
      slots.note(running, false);
      [running = ''] = enqueued();
      expect(slots.enter(running, running.split(' '))).toBe(true);
      served.push(running);
    }
    expect(served).toEqual([' z z', '1 a a', '1 b a', '1 a b', '2 a a']);
  });

  test('a plan that is not the next one does not get a free slot', () => {
    const { slots, told: enqueued } = open(1);
    slots.enter('running', ['', '', '']);
    slots.enter('a', ['', 'shop', 'a']);
    slots.enter('b', ['', 'shop', 'b']);
    slots.note('running', false);
    expect(enqueued()).toEqual(['a']);
    expect(slots.enter('b', ['', 'shop', 'b'])).toBe(false);
    expect(slots.enter('a', ['', 'shop', 'a'])).toBe(true);
  });

  test('as many are enqueued as slots are free', () => {
    const { slots, told: enqueued } = open(2);
    slots.enter('x', ['', '', 'x']);
    slots.enter('y', ['', '', 'y']);
    for (const name of ['a', 'b', 'c']) slots.enter(name, ['', '', name]);
    slots.note('x', false);
    expect(enqueued()).toEqual(['a']);
    slots.note('y', false);
    expect(enqueued()).toEqual(['a', 'b']);
  });

  test('one that leaves the queue lets the next one through', () => {
    const { slots, told: enqueued } = open(1);
    slots.enter('running', ['', '', '']);
    slots.enter('a', ['', '', 'a']);
    slots.enter('b', ['', '', 'b']);
    slots.note('running', false);
    expect(enqueued()).toEqual(['a']);
    slots.dequeue('a');
    expect(enqueued()).toEqual(['b']);
    expect(slots.enter('b', ['', '', 'b'])).toBe(true);
  });

  test('a plan that a user resumes runs at once, and the next one waits longer', () => {
    const { slots, told: enqueued } = open(1);
    slots.enter('a', ['', '', 'a']);
    slots.note('a', false);
    slots.enter('b', ['', '', 'b']);
    slots.note('a', true);
    expect(slots.enter('c', ['', '', 'c'])).toBe(false);
    slots.note('a', false);
    expect(enqueued()).toEqual([]);
    slots.note('b', false);
    expect(enqueued()).toEqual(['c']);
  });

  test('repeated calls change nothing, before and after', () => {
    const { slots, told: enqueued } = open(1);
    expect([slots.enter('a', ['', '', 'a']), slots.enter('a', ['', '', 'a'])]).toEqual([true, true]);
    expect([slots.enter('b', ['', '', 'b']), slots.enter('b', ['', '', 'b'])]).toEqual([false, false]);
    slots.note('a', true);
    slots.note('c', false);
    slots.dequeue('c');
    expect(enqueued()).toEqual([]);
    slots.note('a', false);
    slots.note('a', false);
    expect(enqueued()).toEqual(['b']);
  });

  test('after a start the running plans hold their slots before others start', () => {
    const { slots } = open(2);
    slots.note('x', true);
    slots.note('y', true);
    expect(slots.enter('a', ['', '', 'a'])).toBe(false);
    expect(slots.enter('x', ['', '', 'x'])).toBe(true);
  });

  test('a namespace with fewer plans that move pods comes first, whatever the groups', () => {
    const { slots, told: enqueued } = open(3);
    for (const name of ['a', 'b', 'c']) slots.enter(name, ['', 'evil', name]);
    slots.enter('d', ['', 'evil', 'd']);
    slots.enter('web', ['9-last', 'shop', 'web']);
    slots.enter('api', ['9-last', 'shop', 'api']);
    slots.note('a', false, 'evil');
    expect(enqueued()).toEqual(['api']);
    expect(slots.enter('d', ['', 'evil', 'd'])).toBe(false);
    expect(slots.enter('api', ['9-last', 'shop', 'api'])).toBe(true);
    slots.note('b', false, 'evil');
    // One each: the namespace that was served longest ago.
    expect(enqueued()).toEqual(['d']);
  });

  test('started plans come before new ones', () => {
    const { slots, told: enqueued } = open(1);
    slots.enter('running', ['', 'shop', 'running']);
    slots.enter('new', ['', 'shop', 'new']);
    slots.enter('web', ['9-last', 'shop', 'web'], true);
    slots.note('running', false, 'shop');
    expect(enqueued()).toEqual(['web']);
  });

  test('after a start no more slots are given out than exist, always to the same plans', () => {
    const { slots } = open(2);
    const moving = ['c', 'b', 'a'].map((key) => ({ key, slot: slotOf(['', 'shop', key], true) }));
    slots.restore(moving);
    expect(['a', 'b', 'c'].map((key) => slots.holds(key))).toEqual([true, true, false]);
    expect(slots.enter('c', ['', 'shop', 'c'])).toBe(false);
  });
});
