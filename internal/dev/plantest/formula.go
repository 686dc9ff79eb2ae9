package plantest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strconv"
)

// names contains the predefined constants: GiB in bits, and day in seconds.
var names = map[string]float64{"GiB": 8 << 30, "day": 86400}

var functions = map[string]func(float64) float64{"sqrt": math.Sqrt, "ln": math.Log, "floor": math.Floor}

var operators = map[token.Token]func(x, y float64) float64{
	token.ADD: func(x, y float64) float64 { return x + y },
	token.SUB: func(x, y float64) float64 { return x - y },
	token.MUL: func(x, y float64) float64 { return x * y },
	token.QUO: func(x, y float64) float64 { return x / y },
}

// ErrAbsent is returned for a name without a value.
var ErrAbsent = errors.New("has no value")

// Arithmetic evaluates an expression of numbers, GiB, day, + - * / ( ), sqrt(x), ln(x), floor(x), pow(x, y), and min
// and max of any number of arguments.
func Arithmetic(text string) (float64, error) {
	return Formula(text, nil)
}

// Formula is like Arithmetic, but also accepts the names that are keys of values. min and max skip arguments that
// contain an absent name. Any other use of an absent name returns ErrAbsent.
func Formula(text string, values map[string]float64) (float64, error) {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", text, err)
	}
	return scope(values).number(e)
}

type scope map[string]float64

func (s scope) number(e ast.Expr) (float64, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.ParseFloat(e.Value, 64)
	case *ast.ParenExpr:
		return s.number(e.X)
	case *ast.Ident:
		if v, ok := names[e.Name]; ok {
			return v, nil
		}
		if v, ok := s[e.Name]; ok {
			return v, nil
		}
		return 0, fmt.Errorf("%s %w", e.Name, ErrAbsent)
	case *ast.UnaryExpr:
		v, err := s.number(e.X)
		if e.Op == token.SUB {
			return -v, err
		}
	case *ast.BinaryExpr:
		return s.binary(e)
	case *ast.CallExpr:
		return s.call(e)
	}
	return 0, fmt.Errorf("unsupported expression %T", e)
}

func (s scope) binary(e *ast.BinaryExpr) (float64, error) {
	x, err := s.number(e.X)
	if err != nil {
		return 0, err
	}
	y, err := s.number(e.Y)
	if f, ok := operators[e.Op]; ok {
		return f(x, y), err
	}
	return 0, fmt.Errorf("unknown operator %s", e.Op)
}

func (s scope) call(e *ast.CallExpr) (float64, error) {
	name, _ := e.Fun.(*ast.Ident)
	if name == nil {
		return 0, fmt.Errorf("unsupported call of %T", e.Fun)
	}
	limit := name.Name == "min" || name.Name == "max"
	var args []float64
	for _, arg := range e.Args {
		v, err := s.number(arg)
		if limit && errors.Is(err, ErrAbsent) {
			continue
		}
		if err != nil {
			return 0, err
		}
		args = append(args, v)
	}
	switch f, ok := functions[name.Name]; {
	case ok && len(args) == 1:
		return f(args[0]), nil
	case name.Name == "pow" && len(args) == 2:
		return math.Pow(args[0], args[1]), nil
	case name.Name == "min" && len(args) > 0:
		return slices.Min(args), nil
	case name.Name == "max" && len(args) > 0:
		return slices.Max(args), nil
	}
	return 0, fmt.Errorf("unknown function %s with %d arguments", name.Name, len(args))
}
