import { describe, expect, test } from 'vitest';
import { createSlots } from '../../runtime/plan/slots.ts';

/** Slots, and the targets that were told that one is free for them. */
function open(max: number) {
  const told: string[] = [];
  const slots = createSlots(max, (key: string) => void told.push(key));
  return { slots, told: () => told.splice(0) };
}

describe('how many plans run at once (plan, section 9)', () => {
  test('as many as there are slots; the next one waits, and is told when one is free', () => {
    const { slots, told } = open(2);
    expect(slots.enter('a', ['', 'shop', 'a'])).toBe(true);
    expect(slots.enter('b', ['', 'shop', 'b'])).toBe(true);
    expect(slots.enter('c', ['', 'shop', 'c'])).toBe(false);
    expect(slots.message).toContain('by group and name, at most 2 at once');
    expect(told()).toEqual([]);
    slots.note('a', false);
    expect(told()).toEqual(['c']);
    expect(slots.enter('c', ['', 'shop', 'c'])).toBe(true);
    expect(slots.enter('d', ['', 'shop', 'd'])).toBe(false);
  });

  test('by group, then namespace, then name, whoever came first', () => {
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
    expect(served).toEqual([' z z', '1 a a', '1 a b', '1 b a', '2 a a']);
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
    expect([slots.enter('a', ['a']), slots.enter('a', ['a'])]).toEqual([true, true]);
    expect([slots.enter('b', ['b']), slots.enter('b', ['b'])]).toEqual([false, false]);
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
    expect(slots.enter('a', ['a'])).toBe(false);
    expect(slots.enter('x', ['x'])).toBe(true);
  });
});
