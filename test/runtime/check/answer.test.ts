import { describe, expect, it } from 'vitest';
import { atPointer, judgeHttp, judgePrometheus } from '../../../runtime/check/answer.ts';
import { isPossible, judgeNumber } from '../../../runtime/check/bounds.ts';
import type { Bounds } from '../../../schemas/generated/types/runtimeconfig.ts';

describe('bounds', () => {
  it.each<[Bounds, number, string]>([
    [{ below: 1 }, 0.5, 'pass: 0.5 is below 1'],
    [{ below: 1 }, 1, 'fail: 1 is not below 1'],
    [{ above: 1 }, 1, 'fail: 1 is not above 1'],
    [{ above: 1 }, 1.5, 'pass: 1.5 is above 1'],
    [{ atMost: 1 }, 1, 'pass: 1 is at most 1'],
    [{ atMost: 1 }, 1.5, 'fail: 1.5 is not at most 1'],
    [{ atLeast: 1 }, 1, 'pass: 1 is at least 1'],
    [{ atLeast: 1 }, -1, 'fail: -1 is not at least 1'],
    [{ atLeast: 0, below: 1 }, 0, 'pass: 0 is below 1 and at least 0'],
    [{ atLeast: 0, below: 1 }, -1, 'fail: -1 is not at least 0'],
  ])('%j of %d: %s', (pass, value, expected) => {
    const { is, message } = judgeNumber(pass, value);
    expect(`${is}: ${message}`).toBe(expected);
  });

  it.each<[Bounds, boolean]>([
    [{}, true],
    [{ below: 1, above: 1 }, false],
    [{ below: 1, above: 0 }, true],
    [{ below: 1, atLeast: 1 }, false],
    [{ atMost: 1, above: 1 }, false],
    [{ atMost: 1, atLeast: 1 }, true],
    [{ atMost: 1, atLeast: 2 }, false],
  ])('%j is satisfiable: %s', (pass, can) => {
    expect(isPossible(pass)).toBe(can);
  });
});

describe('JSON pointers (RFC 6901, section 5)', () => {
  const json: unknown = JSON.parse(
    '{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8,"~1":9,"__proto__":{"x":10}}',
  );
  it.each([
    ['', json],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
    ['/~01', 9],
    ['/__proto__/x', 10],
    ['/foo/2', undefined],
    ['/foo/-', undefined],
    ['/foo/00', undefined],
    ['/foo/length', undefined],
    ['/toString', undefined],
    ['/foo/0/0', undefined],
    ['/none/none', undefined],
  ])('%j', (pointer, value) => {
    expect(atPointer(json, pointer)).toEqual(value);
  });
});

describe('responses of a web server', () => {
  it.each([
    [200, undefined, 'x', 'pass: answered 200'],
    [204, undefined, '', 'pass: answered 204'],
    [299, undefined, '', 'pass: answered 299'],
    [404, undefined, '', 'fail: answered 404'],
    [503, '/n', '{"n":0}', 'fail: answered 503'],
    [301, undefined, '', 'unknown: the answer is a redirect (301), and redirects are not followed'],
    [304, '/n', '{"n":0}', 'unknown: the answer is a redirect (304), and redirects are not followed'],
    [200, '/n', '{"n":0.5}', 'pass: 0.5 is below 1'],
    [200, '/n', '{"n":1}', 'fail: 1 is not below 1'],
    [200, '', '0', 'pass: 0 is below 1'],
    [200, '/n', '{"n":', 'unknown: answered 200, not JSON'],
    [200, '/n', '', 'unknown: answered 200, not JSON'],
    [200, '/n', '\ufeff{"n":0}', 'unknown: answered 200, not JSON'],
    [200, '/n', '{"n":"0"}', 'unknown: answered 200, no number at /n'],
    [200, '/n', '{"n":1e999}', 'unknown: answered 200, no number at /n'],
    [200, '/n', '{"n":null}', 'unknown: answered 200, no number at /n'],
    [200, '/n', '{"\\u001b[31m":1}', 'unknown: answered 200, no number at /n'],
    [200, '', '{}', 'unknown: answered 200, no number at the root'],
    [200, '/n', '['.repeat(500_000), 'unknown: answered 200, not JSON'],
  ])('%i, number at %j', (status, json, body, expected) => {
    const { is, message } = judgeHttp({ status, body }, json, { below: 1 });
    expect(`${is}: ${message}`).toBe(expected);
  });

  it('no response', () => {
    const judged = judgeHttp({ error: 'connection refused' }, undefined, {});
    expect(judged).toEqual({ is: 'unknown', message: 'no answer: connection refused' });
  });
});

describe('responses of Prometheus', () => {
  const scalar = (value: unknown): unknown => ({ resultType: 'scalar', result: [1, value] });
  const vector = (...values: unknown[]): unknown => ({
    resultType: 'vector',
    result: values.map((value) => ({ metric: { job: '\u001b[31m' }, value: [1, value] })),
  });
  it.each([
    [scalar('0.5'), 'pass: 0.5 is below 1'],
    [vector('0.5'), 'pass: 0.5 is below 1'],
    [vector('2'), 'fail: 2 is not below 1'],
    [vector('-1.5e-05'), 'pass: -0.000015 is below 1'],
    [vector(), 'unknown: the result of the query is empty'],
    [vector('0', '0'), 'unknown: the result of the query has 2 samples instead of one'],
    [vector('NaN'), 'unknown: the result of the query is NaN'],
    [vector('+Inf'), 'unknown: the result of the query is Infinity'],
    [vector('-Inf'), 'unknown: the result of the query is -Infinity'],
    [scalar('1e999'), 'unknown: the result of the query is Infinity'],
    [scalar('\u001b[31m'), 'unknown: the result of the query is not a number'],
    [scalar('0x10'), 'unknown: the result of the query is not a number'],
    [scalar(''), 'unknown: the result of the query is not a number'],
    [scalar(0), 'unknown: the result of the query is not a number'],
    [
      { resultType: 'vector', result: [{ histogram: [1, {}] }] },
      'unknown: the result of the query is not a number',
    ],
    [
      { resultType: 'matrix', result: [] },
      'unknown: the result of the query is neither a scalar nor a vector',
    ],
    [
      { resultType: 'string', result: [1, '0'] },
      'unknown: the result of the query is neither a scalar nor a vector',
    ],
    [{ resultType: 'vector' }, 'unknown: the response of Prometheus has no result'],
    [undefined, 'unknown: the result of the query is neither a scalar nor a vector'],
  ])('%j: %s', (data, expected) => {
    const body = JSON.stringify({ status: 'success', data });
    const { is, message } = judgePrometheus({ status: 200, body }, { below: 1 });
    expect(`${is}: ${message}`).toBe(expected);
  });

  it.each([
    [{ status: 200, body: '<html>' }, 'the response of Prometheus is not JSON'],
    [
      { status: 200, body: '{"status":"error","error":"secret"}' },
      'the response of Prometheus has no status success',
    ],
    [{ status: 200, body: 'null' }, 'the response of Prometheus has no status success'],
    [{ status: 422, body: 'secret' }, 'Prometheus answered 422'],
    [{ status: 503, body: '' }, 'Prometheus answered 503'],
    [{ status: 307, body: '' }, 'the answer is a redirect (307), and redirects are not followed'],
    [{ error: 'connection refused' }, 'no answer: connection refused'],
  ])('%j', (got, message) => {
    expect(judgePrometheus(got, { below: 1 })).toEqual({ is: 'unknown', message });
  });
});
