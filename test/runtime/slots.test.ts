import { describe, expect, test } from 'vitest';
import { createSlots, type QueueSlot } from '../../runtime/plan/slots.ts';

/** Slots, and the targets that were told that one is free for them. */
function open(max: number) {
  const told: string[] = [];
  const { enter, note, ...slots } = createSlots<string>(
    max,
    (key, delayMs) => void (delayMs === 0 && told.push(key)),
    () => 0,
  );
  return {
    slots: {
      ...slots,
      enter: (key: string, order: readonly string[], begun = false) => enter(key, placeOf(order, begun)),
      note: (key: string, holds: boolean, namespace = '') => note(key, namespace, holds),
    },
    told: () => told.splice(0),
  };
}

function placeOf([group = '', namespace = '', name = '']: readonly string[], begun: boolean): QueueSlot {
  return { begun, group, namespace, name };
}

describe('how many plans run at once (plan, section 9)', () => {
  test('as many as there are slots; the next one waits, and is told when one is free', () => {
    const { slots, told } = open(2);
    expect(slots.enter('a', ['', 'shop', 'a'])).toBe(true);
    expect(slots.enter('b', ['', 'shop', 'b'])).toBe(true);
    expect(slots.enter('c', ['', 'shop', 'c'])).toBe(false);
    expect(slots.message).toContain('at most 2 plans move pods at once');
    expect(told()).toEqual([]);
    slots.note('a', false);
    expect(told()).toEqual(['c']);
    expect(slots.enter('c', ['', 'shop', 'c'])).toBe(true);
    expect(slots.enter('d', ['', 'shop', 'd'])).toBe(false);
  });

  test('namespaces in turn, in each by group and name, whoever came first', () => {
    const { slots, told } = open(1);
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
      [running = ''] = told();
      expect(slots.enter(running, running.split(' '))).toBe(true);
      served.push(running);
    }
    expect(served).toEqual([' z z', '1 a a', '1 b a', '1 a b', '2 a a']);
  });

  test('who is not the next one does not get a slot that is free for another', () => {
    const { slots, told } = open(1);
    slots.enter('running', ['', '', '']);
    slots.enter('a', ['', 'shop', 'a']);
    slots.enter('b', ['', 'shop', 'b']);
    slots.note('running', false);
    expect(told()).toEqual(['a']);
    expect(slots.enter('b', ['', 'shop', 'b'])).toBe(false);
    expect(slots.enter('a', ['', 'shop', 'a'])).toBe(true);
  });

  test('as many are told as slots are free', () => {
    const { slots, told } = open(2);
    slots.enter('x', ['', '', 'x']);
    slots.enter('y', ['', '', 'y']);
    for (const name of ['a', 'b', 'c']) slots.enter(name, ['', '', name]);
    slots.note('x', false);
    expect(told()).toEqual(['a']);
    slots.note('y', false);
    expect(told()).toEqual(['a', 'b']);
  });

  test('one that gives up its place lets the next one through', () => {
    const { slots, told } = open(1);
    slots.enter('running', ['', '', '']);
    slots.enter('a', ['', '', 'a']);
    slots.enter('b', ['', '', 'b']);
    slots.note('running', false);
    expect(told()).toEqual(['a']);
    slots.leave('a');
    expect(told()).toEqual(['b']);
    expect(slots.enter('b', ['', '', 'b'])).toBe(true);
  });

  test('a plan that is told to go on by a person runs at once, and the next one waits the longer', () => {
    const { slots, told } = open(1);
    slots.enter('a', ['', '', 'a']);
    slots.note('a', false);
    slots.enter('b', ['', '', 'b']);
    slots.note('a', true);
    expect(slots.enter('c', ['', '', 'c'])).toBe(false);
    slots.note('a', false);
    expect(told()).toEqual([]);
    slots.note('b', false);
    expect(told()).toEqual(['c']);
  });

  test('asking again changes nothing, before and after', () => {
    const { slots, told } = open(1);
    expect([slots.enter('a', ['', '', 'a']), slots.enter('a', ['', '', 'a'])]).toEqual([true, true]);
    expect([slots.enter('b', ['', '', 'b']), slots.enter('b', ['', '', 'b'])]).toEqual([false, false]);
    slots.note('a', true);
    slots.note('c', false);
    slots.leave('c');
    expect(told()).toEqual([]);
    slots.note('a', false);
    slots.note('a', false);
    expect(told()).toEqual(['b']);
  });

  test('after a start the plans that run hold their slots before any other begins', () => {
    const { slots } = open(2);
    slots.note('x', true);
    slots.note('y', true);
    expect(slots.enter('a', ['', '', 'a'])).toBe(false);
    expect(slots.enter('x', ['', '', 'x'])).toBe(true);
  });

  test('a namespace with fewer plans that move pods comes first, whatever the groups', () => {
    const { slots, told } = open(3);
    for (const name of ['a', 'b', 'c']) slots.enter(name, ['', 'evil', name]);
    slots.enter('d', ['', 'evil', 'd']);
    slots.enter('web', ['9-last', 'shop', 'web']);
    slots.enter('api', ['9-last', 'shop', 'api']);
    slots.note('a', false, 'evil');
    expect(told()).toEqual(['api']);
    expect(slots.enter('d', ['', 'evil', 'd'])).toBe(false);
    expect(slots.enter('api', ['9-last', 'shop', 'api'])).toBe(true);
    slots.note('b', false, 'evil');
    // One each: the namespace that was served longest ago.
    expect(told()).toEqual(['d']);
  });

  test('what has begun comes before what is new', () => {
    const { slots, told } = open(1);
    slots.enter('running', ['', 'shop', 'running']);
    slots.enter('new', ['', 'shop', 'new']);
    slots.enter('web', ['9-last', 'shop', 'web'], true);
    slots.note('running', false, 'shop');
    expect(told()).toEqual(['web']);
  });

  test('after a start no more are given out than there are, the same ones each time', () => {
    const { slots } = open(2);
    const moving = ['c', 'b', 'a'].map((key) => ({ key, slot: placeOf(['', 'shop', key], true) }));
    slots.restore(moving);
    expect(['a', 'b', 'c'].map((key) => slots.holds(key))).toEqual([true, true, false]);
    expect(slots.enter('c', ['', 'shop', 'c'])).toBe(false);
  });
});
