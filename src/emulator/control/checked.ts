// Checks what a control request says, and names everything that does not fit.
import { OperatorError } from '../../errors/index.ts'
import { failuresOf, type Shape, showPath } from '../shape/shape.ts'

/** The value with its type. Throws OperatorError when it does not fit. */
export function checked<T>(shape: Shape<T>, value: unknown): T {
  const failures = failuresOf(shape, value)
  if (failures.length > 0) {
    const told = failures.map(({ path, message }) => `${showPath(path) || 'body'}: ${message}`)
    throw unusable(told.join('; '))
  }
  // The shape has just been checked.
  return value as T
}

export function unusable(message: string): OperatorError {
  return new OperatorError('SVC2815', message)
}
