// Arithmetic of examples.

package plantest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
)

// names are the numbers that the arithmetic may name: the bits of a GiB and the seconds of a day.
var names = map[string]float64{"GiB": 8 << 30, "day": 86400}

// functions take one number.
var functions = map[string]func(float64) float64{"sqrt": math.Sqrt, "ln": math.Log, "floor": math.Floor}

var operators = map[token.Token]func(x, y float64) float64{
	token.ADD: func(x, y float64) float64 { return x + y },
	token.SUB: func(x, y float64) float64 { return x - y },
	token.MUL: func(x, y float64) float64 { return x * y },
	token.QUO: func(x, y float64) float64 { return x / y },
}

// Arithmetic evaluates an expression of numbers, GiB and day, + - * / ( ), sqrt(x), ln(x), floor(x) and pow(x, y).
func Arithmetic(text string) (float64, error) {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", text, err)
	}
	return number(e)
}

func number(e ast.Expr) (float64, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.ParseFloat(e.Value, 64)
	case *ast.ParenExpr:
		return number(e.X)
	case *ast.Ident:
		if v, ok := names[e.Name]; ok {
			return v, nil
		}
	case *ast.UnaryExpr:
		v, err := number(e.X)
		if e.Op == token.SUB {
			return -v, err
		}
	case *ast.BinaryExpr:
		return binary(e)
	case *ast.CallExpr:
		return call(e)
	}
	return 0, fmt.Errorf("%T is no arithmetic", e)
}

func binary(e *ast.BinaryExpr) (float64, error) {
	x, err := number(e.X)
	if err != nil {
		return 0, err
	}
	y, err := number(e.Y)
	if f, ok := operators[e.Op]; ok {
		return f(x, y), err
	}
	return 0, fmt.Errorf("unknown operator %s", e.Op)
}

func call(e *ast.CallExpr) (float64, error) {
	name, _ := e.Fun.(*ast.Ident)
	if name == nil {
		return 0, fmt.Errorf("%T is no function", e.Fun)
	}
	args := make([]float64, len(e.Args))
	for i, arg := range e.Args {
		var err error
		if args[i], err = number(arg); err != nil {
			return 0, err
		}
	}
	if f, ok := functions[name.Name]; ok && len(args) == 1 {
		return f(args[0]), nil
	}
	if name.Name == "pow" && len(args) == 2 {
		return math.Pow(args[0], args[1]), nil
	}
	return 0, fmt.Errorf("unknown function %s of %d numbers", name.Name, len(args))
}
